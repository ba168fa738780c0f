import { parse, type Selector } from 'css-what';

/** Maximum length of a CSS selector. */
export const MAX_SELECTOR_LENGTH = 1_000;

const COMBINATORS = new Set(['adjacent', 'child', 'descendant', 'sibling', 'column-combinator', 'parent']);
// Extensions of jQuery, which css-what accepts and browsers do not.
const NOT_CSS = new Set([
  'contains',
  'icontains',
  'eq',
  'first',
  'last',
  'gt',
  'lt',
  'even',
  'odd',
  'parent',
]);

/**
 * The fault of a CSS selector, or undefined: a `check` for selector fields. It finds the faults that can be found without a
 * browser; a selector that only the browser refuses ends in `selector_not_found`.
 */
export function selectorFault(text: string): string | undefined {
  if (text.length > MAX_SELECTOR_LENGTH) return `must be at most ${MAX_SELECTOR_LENGTH} characters long`;
  try {
    const selectors = parse(text);
    return selectors.length > 0 && selectors.every(isComplete) ? undefined : 'must be a valid CSS selector';
  } catch {
    return 'must be a valid CSS selector';
  }
}

/** The fault of a list of CSS selectors, or undefined: a `check` for lists of selectors. */
export function selectorsFault(list: readonly string[]): string | undefined {
  const i = list.findIndex((text) => selectorFault(text) !== undefined);
  return i === -1 ? undefined : `must only contain valid CSS selectors; number ${i + 1} is not one`;
}

function isComplete(tokens: readonly Selector[]): boolean {
  const [first] = tokens;
  const last = tokens.at(-1);
  if (!first || !last || COMBINATORS.has(first.type) || COMBINATORS.has(last.type)) return false;
  return tokens.every(isCss);
}

function isCss(token: Selector): boolean {
  if (token.type === 'tag') return /^[-_a-z\u0080-\u{10ffff}]/iu.test(token.name);
  if (token.type === 'attribute') return token.action !== 'not';
  if (token.type === 'pseudo') return !NOT_CSS.has(token.name);
  // Pseudo-elements are not elements: they cannot be waited for, hidden or captured.
  return token.type !== 'pseudo-element';
}
