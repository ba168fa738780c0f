import { AppError } from '@app/kernel';
import type { FramingOptions } from '../options/framing.js';
import type { PageChangesOptions } from '../options/page-changes.js';
import type { Visit } from '../pipeline/family.js';
import { defineFormat } from '../pipeline/format.js';
import { inPage, type SafeAccess } from '../pipeline/in-page.js';

type TextOptions = Pick<FramingOptions, 'selector'> & Pick<PageChangesOptions, 'mask_selectors'>;

/** What the walk through the page meets: the edges of boxes, and runs of text with the CSS that decides how they are shown. */
export type Token =
  | readonly [edge: 'start' | 'end', display: string, name: string]
  | readonly [kind: 'text', text: string, whiteSpaceCollapse: string, textTransform: string];

interface Piece {
  readonly tokens: readonly Token[];
  readonly isLast: boolean;
}

/** Characters of one message from the page: a page can make its text, or a part of it, as long as its memory allows. */
const PIECE_CHARS = 500_000;

/**
 * Reads the text in pieces, so that one of more than `maxBytes` is never held as a whole.
 *
 * @throws AppError `selector_not_found`, `resource_limit`
 */
async function readText(visit: Visit, options: TextOptions, maxBytes: number): Promise<Buffer> {
  const { selector, mask_selectors: masks } = options;
  const fault = await inPage(visit, startWalk, { selector: selector ?? null, masks });
  if (fault !== null) {
    throw new AppError('selector_not_found', { detail: `selector (${String(selector)}) ${fault}.` });
  }
  const text = new PlainText();
  for (let isLast = false; !isLast;) {
    const piece: Piece | null = await inPage(visit, continueWalk, PIECE_CHARS);
    if (!piece) throw new Error('The page navigated while its text was read.');
    for (const token of piece.tokens) text.add(token);
    if (text.length > maxBytes) {
      throw new AppError('resource_limit', { detail: `The text has more than ${maxBytes} bytes.` });
    }
    ({ isLast } = piece);
  }
  return Buffer.from(text.toString(), 'utf8');
}

/** What is still to be visited, the next entry last. */
type Stack = (Token | readonly [kind: 'element', element: Element])[];

/** Kept in the isolated world between two calls, under a symbol: an element's name could shadow a string. */
interface World {
  [key: symbol]: { readonly stack: Stack; readonly masks: readonly string[] } | undefined;
}

/** Runs in the page: starts the walk at the element, or at the root. Returns what is wrong with the selector, or null. */
function startWalk(
  { selector, masks }: { selector: string | null; masks: readonly string[] },
  safe: SafeAccess,
): string | null {
  const page = safe(document);
  const stack: Stack = [];
  (globalThis as unknown as World)[Symbol.for('walk')] = { stack, masks };
  let start: Element | null;
  try {
    start = selector === null ? page.documentElement : page.querySelector(selector);
  } catch {
    return 'is not a selector that the browser knows';
  }
  if (start === null) return selector === null ? null : 'matches nothing on the page';
  const element = safe(start);
  const isShown = getComputedStyle(start).display === 'contents' || element.checkVisibility();
  if (!isShown && selector !== null) return 'matches an element that is not displayed';
  if (!masks.some((mask) => element.closest(mask))) stack.push(['element', start]);
  return null;
}

/**
 * Runs in the page: walks on through the elements that are displayed, open shadow roots and the frames that scripts of the
 * page can read. Returns null when the page has navigated since the walk started.
 */
function continueWalk(maxChars: number, safe: SafeAccess): Piece | null {
  const walk = (globalThis as unknown as World)[Symbol.for('walk')];
  if (!walk) return null;
  const childrenOf = (element: Element): Iterable<Node | null> => {
    const own = safe(element) as Element & Partial<HTMLSlotElement & HTMLIFrameElement>;
    if (own.contentDocument) return [safe(own.contentDocument).documentElement];
    // What these show is not their content.
    if (/^(iframe|textarea|select|video|audio|canvas)$/.test(own.localName)) return [];
    const assigned = own.assignedNodes?.() ?? [];
    return own.shadowRoot ? safe(own.shadowRoot).childNodes : assigned.length > 0 ? assigned : own.childNodes;
  };
  const expand = (element: Element): Stack => {
    const own = safe(element);
    const style = getComputedStyle(element);
    const { display, whiteSpaceCollapse, textTransform } = style;
    if (display !== 'contents' && !own.checkVisibility()) return [];
    if (walk.masks.some((mask) => own.matches(mask))) return [];
    const isBox = own.localName === 'br' || !/^(inline|contents|ruby)/.test(display);
    const isClosed = style.contentVisibility === 'hidden' || own.matches('details:not([open])');
    const inside: Stack = [];
    for (const child of childrenOf(element)) {
      const type = child && safe(child).nodeType;
      if (type === Node.ELEMENT_NODE) inside.push(['element', child as Element]);
      if (type !== Node.TEXT_NODE || isClosed || style.visibility !== 'visible') continue;
      // By code points, so that no surrogate pair is split.
      for (const part of (child as Text).data.toWellFormed().match(/[^]{1,100000}/gu) ?? [])
        inside.push(['text', part, whiteSpaceCollapse, textTransform]);
    }
    if (!isBox) return inside;
    return [['start', display, own.localName], ...inside, ['end', display, own.localName]];
  };
  const tokens: Token[] = [];
  for (let chars = 0; walk.stack.length > 0 && chars < maxChars; chars += 1) {
    const next = walk.stack.pop() as Stack[number];
    if (next[0] === 'element') for (const entry of expand(next[1]).reverse()) walk.stack.push(entry);
    else chars += (tokens.push(next), next[1].length);
  }
  return { tokens, isLast: walk.stack.length === 0 };
}

/**
 * Lays tokens out as text, as `innerText` does: boxes begin on lines of their own, paragraphs are set off by an empty line,
 * cells by a tab, and white space collapses as CSS says. Lines are not wrapped.
 */
export class PlainText {
  length = 0;
  private readonly parts: string[] = [];
  /** Line breaks due before the next text: those that boxes require are merged, those that the page writes are added up. */
  private required = 0;
  private written = 0;
  private tabs = 0;
  private hasSpace = false;
  /** Nothing has been written in the current cell; its first box begins beside the tab, not below it. */
  private isCellStart = false;
  /** Cells so far in each open row. */
  private readonly rows: number[] = [];

  add(token: Token): void {
    if (token[0] === 'text') this.addText(token[1], token[2], token[3]);
    else if (token[2] === 'br') this.addBreak(token[0]);
    else if (token[1] === 'table-cell') this.addCell(token[0]);
    else if (token[1] === 'table-row') this.addRow(token[0]);
    else this.require(token[2] === 'p' ? 2 : 1);
  }

  toString(): string {
    return this.parts.join('');
  }

  private addText(raw: string, whiteSpace: string, transform: string): void {
    const text = TRANSFORMS[transform]?.(raw) ?? raw;
    if (whiteSpace === 'collapse') {
      this.addCollapsed(text);
      return;
    }
    const keepsSpaces = whiteSpace !== 'preserve-breaks';
    text.split('\n').forEach((line, i) => {
      if (i > 0) this.writeBreak();
      if (!keepsSpaces) this.addCollapsed(line);
      else if (line !== '') this.write(line);
    });
  }

  private addCollapsed(text: string): void {
    const collapsed = text.replace(/[ \t\r\n\f]+/g, ' ');
    if (collapsed.startsWith(' ') && !this.isLineStart()) this.hasSpace = true;
    const words = collapsed.replace(/^ | $/g, '');
    if (words === '') return;
    this.write((this.hasSpace ? ' ' : '') + words);
    this.hasSpace = collapsed.endsWith(' ');
  }

  private isLineStart(): boolean {
    return this.parts.length === 0 || this.required > 0 || this.written > 0 || this.isCellStart;
  }

  private write(text: string): void {
    const breaks = this.parts.length === 0 ? 0 : Math.max(this.required, this.written);
    const part = '\n'.repeat(breaks) + '\t'.repeat(this.tabs) + text;
    this.parts.push(part);
    this.length += part.length;
    this.required = this.written = this.tabs = 0;
    this.isCellStart = false;
  }

  private require(breaks: number): void {
    this.hasSpace = false;
    if (!this.isCellStart) this.required = Math.max(this.required, breaks);
  }

  private addBreak(edge: 'start' | 'end'): void {
    if (edge === 'start') this.writeBreak();
  }

  /** A break on a line without text leaves that line empty. */
  private writeBreak(): void {
    this.hasSpace = false;
    if (this.isCellStart) return;
    this.written = Math.max(this.required, this.written) + 1;
    this.required = 0;
  }

  private addRow(edge: 'start' | 'end'): void {
    this.require(1);
    if (edge === 'start') this.rows.push(0);
    else {
      this.rows.pop();
      this.tabs = 0;
    }
  }

  private addCell(edge: 'start' | 'end'): void {
    this.hasSpace = false;
    // In a cell without text, the breaks that are due are those of its row.
    if (edge === 'end' && !this.isCellStart) this.required = this.written = 0;
    this.isCellStart = edge === 'start';
    if (edge === 'end') return;
    const before = this.rows.pop() ?? 0;
    this.rows.push(before + 1);
    if (before > 0) this.tabs += 1;
  }
}

/** Values of `text-transform` that change the letters; `innerText` applies them, too. */
const TRANSFORMS: Readonly<Record<string, (text: string) => string>> = {
  uppercase: (text) => text.toUpperCase(),
  lowercase: (text) => text.toLowerCase(),
  capitalize: (text) => text.replace(/(?<![\p{L}\p{N}\p{M}'’])\p{L}/gu, (letter) => letter.toUpperCase()),
};

export const text = defineFormat({
  name: 'text',
  doc: 'The visible text of the page, or of `selector`, in UTF-8: with line breaks between blocks and tabs between cells, without the values of form fields and what `mask_selectors` covers. Open shadow roots and frames of the same origin are included.',
  contentType: 'text/plain; charset=utf-8',
  extension: 'txt',
  disposition: 'attachment',
  options: ['selector', 'content'],
  render: async (visit, options: TextOptions, { maxBytes }) => ({
    bytes: await readText(visit, options, maxBytes),
  }),
});
