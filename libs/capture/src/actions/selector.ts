import { MAX_SELECTOR_LENGTH, selectorFault } from '../pipeline/selector-rule.js';

/** One part of a selector, which finds elements in those that the part before it has found, or in the document. */
export interface SelectorPart {
  /** `aria`: by the name, and perhaps the role, that assistive technology reports. */
  readonly kind: 'css' | 'text' | 'xpath' | 'aria';
  readonly value: string;
  /** For `aria`. */
  readonly role?: string;
  /** `deep`: in the open shadow roots at any depth, too. `root`: in the shadow root of the element. */
  readonly reach: 'inside' | 'deep' | 'root';
}

/** The parts of each of the selectors that commas separate. */
export type ParsedSelector = readonly (readonly SelectorPart[])[];

/** The kinds of selectors besides CSS. */
const KINDS = 'aria|text|xpath';
/** Names that a selector may begin with: `text/Sign in`. */
const PREFIX = new RegExp(`^(${KINDS}|pierce)/(.*)$`, 's');
/** How a kind is written within a longer selector. */
const PSEUDO = new RegExp(`^::-p-(${KINDS})\\(`);
const COMBINATOR = /^\s*(>>>>|>>>)\s*/;

class SelectorError extends Error {
  override readonly name = 'SelectorError';
}

/**
 * Parses a selector as Puppeteer writes them: CSS, `aria/…`, `text/…`, `xpath/…`, `pierce/…`, `::-p-text(…)`, `::-p-aria(…)`,
 * `::-p-xpath(…)`, `>>>` and `>>>>`. It must have no fault.
 */
export function parseSelector(text: string): ParsedSelector {
  const [, prefix, rest = ''] = PREFIX.exec(text.trim()) ?? [];
  if (prefix === 'pierce') return [[{ kind: 'css', value: css(rest), reach: 'deep' }]];
  if (prefix !== undefined) return [[partOf(prefix, rest, 'inside')]];
  if (!/::-p-|>>>/.test(text)) return [[{ kind: 'css', value: css(text), reach: 'inside' }]];
  return splitAtCommas(text).map(parseChain);
}

/** The selector that finds the first of these in the document, and each next one in the shadow root of the one before. */
export function chainSelectors(selectors: readonly string[]): string {
  if (selectors.length <= 1) return selectors[0] ?? '';
  const parts = selectors.map((selector) => {
    const [, kind = 'pierce', value = selector] = PREFIX.exec(selector) ?? [];
    return kind === 'pierce' ? value : `::-p-${kind}(${JSON.stringify(value)})`;
  });
  return parts.join(' >>>> ');
}

/** The fault of a selector, or undefined: a `check` for selectors of steps. It finds what can be found without a browser. */
export function stepSelectorFault(text: string): string | undefined {
  if (text.length > MAX_SELECTOR_LENGTH) return `must be at most ${MAX_SELECTOR_LENGTH} characters long`;
  try {
    parseSelector(text);
    return undefined;
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    return `must be a CSS selector, or one such as text/Sign in, aria/Name, ::-p-xpath(//button) or my-element >>> button${error.message}`;
  }
}

function parseChain(text: string): SelectorPart[] {
  const parts: SelectorPart[] = [];
  let rest = text.trim();
  let reach: SelectorPart['reach'] = 'inside';
  while (rest !== '') {
    const pseudo = PSEUDO.exec(rest);
    if (pseudo) {
      const end = closingOf(rest, pseudo[0].length - 1);
      parts.push(partOf(pseudo[1] ?? '', unquoted(rest.slice(pseudo[0].length, end)), reach));
      rest = rest.slice(end + 1);
    } else {
      const end = endOfCss(rest);
      const value = rest.slice(0, end).trim();
      if (value !== '') parts.push({ kind: 'css', value: css(value, parts.length > 0), reach });
      rest = rest.slice(end);
    }
    const combinator = COMBINATOR.exec(rest);
    reach = combinator ? (combinator[1] === '>>>' ? 'deep' : 'root') : 'inside';
    if (combinator) rest = rest.slice(combinator[0].length);
    if (combinator && rest === '') throw new SelectorError('; something must follow >>>');
  }
  if (parts.length === 0) throw new SelectorError('');
  return parts;
}

function partOf(kind: string, value: string, reach: SelectorPart['reach']): SelectorPart {
  if (value.trim() === '') throw new SelectorError('');
  if (kind === 'aria') return { kind: 'aria', ...ariaOf(value), reach };
  return { kind: kind === 'xpath' ? 'xpath' : 'text', value: value.trim(), reach };
}

const ATTRIBUTE = /\[\s*(name|role)\s*=\s*(["'])(.*?)\2\s*\]/g;

/** `Sign in[role="button"]` */
function ariaOf(text: string): Pick<SelectorPart, 'value' | 'role'> {
  const given = new Map([...text.matchAll(ATTRIBUTE)].map(([, name, , value = '']) => [name, value]));
  const value = given.get('name') ?? text.replace(ATTRIBUTE, '').trim().replace(/\s+/g, ' ');
  const role = given.get('role');
  if (value === '' && role === undefined) throw new SelectorError('');
  return { value, ...(role !== undefined && { role }) };
}

function css(text: string, isContinued = false): string {
  // After another part, the selector may begin with a combinator.
  const alone = isContinued ? text.replace(/^\s*[>+~]/, '') : text;
  if (selectorFault(alone.trim()) !== undefined) throw new SelectorError('');
  return text.trim();
}

/** Where the CSS ends at the start of `text`: before `::-p-…` or `>>>` that no quotes or brackets enclose. */
function endOfCss(text: string): number {
  return scan(text, (at) => PSEUDO.test(text.slice(at)) || text.startsWith('>>>', at));
}

function splitAtCommas(text: string): string[] {
  const parts: string[] = [];
  let rest = text;
  for (;;) {
    const end = scan(rest, (at) => rest[at] === ',');
    parts.push(rest.slice(0, end));
    if (end === rest.length) return parts;
    rest = rest.slice(end + 1);
  }
}

/** The index of the parenthesis that closes the one at `start`. */
function closingOf(text: string, start: number): number {
  const inner = text.slice(start + 1);
  const end = scan(inner, (at) => inner[at] === ')');
  if (end === inner.length) throw new SelectorError('; a parenthesis is not closed');
  return start + 1 + end;
}

/** The first index that no quotes or brackets enclose and that `isEnd` accepts; the length of the text without one. */
function scan(text: string, isEnd: (at: number) => boolean): number {
  let depth = 0;
  let quote = '';
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '\\') at += 1;
    else if (quote !== '') quote = character === quote ? '' : quote;
    else if (depth === 0 && isEnd(at)) return at;
    else if (character === '"' || character === "'") quote = character;
    else if ('([{'.includes(character)) depth += 1;
    else if (')]}'.includes(character)) depth -= 1;
  }
  return text.length;
}

function unquoted(text: string): string {
  const [, , inside] = /^\s*(["'])(.*)\1\s*$/s.exec(text) ?? [];
  return inside === undefined ? text.trim() : inside.replace(/\\(.)/gs, '$1');
}
