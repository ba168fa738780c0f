import { AppError } from '@app/kernel';
import type { Visit } from '../../pipeline/family.js';
import { inPage, type SafeAccess } from '../../pipeline/in-page.js';
import { BoundedLayout, type Layout } from './bounded-layout.js';
import { isCodeGutter, lineNumbersIn, NUMBERING } from './code-blocks.js';
import type { Token } from './token.js';
import { DESCRIBING, describeElement } from './describe-element.js';
import { FORMULAS, formulaText, isUndrawnTex } from './formulas.js';
import { findNotes, NOTES } from './notes.js';

export interface WalkOptions {
  /** Where to start: the first element that matches, the main content that `findMainContent` found, or the whole page. */
  readonly start: { readonly selector: string } | 'main' | 'page';
  /** Selectors of elements that are left out with everything in them. */
  readonly masks: readonly string[];
  /** Whether tokens also stand for inline elements, and have attributes. */
  readonly hasMarkup: boolean;
}

interface Piece {
  readonly tokens: readonly Token[];
  readonly isLast: boolean;
}

/** Characters of one message from the page: a page can make its text, or a part of it, as long as its memory allows. */
const PIECE_CHARS = 500_000;

/**
 * Walks through what the page displays and adds it to a layout, in pieces: what is more than `maxBytes` is never held as a
 * whole.
 *
 * @throws AppError `selector_not_found`, `resource_limit`
 */
export async function readPage(
  visit: Visit,
  layout: Layout,
  { maxBytes, ...options }: WalkOptions & { readonly maxBytes: number },
): Promise<Buffer> {
  const fault = await inPage(visit, { run: startWalk, uses: WALK_PARTS }, options);
  if (fault !== null) throw new AppError('selector_not_found', { detail: fault });
  const bounded = new BoundedLayout(layout, maxBytes);
  for (let isLast = false; !isLast;) {
    const piece: Piece | null = await inPage(visit, { run: continueWalk, uses: WALK_PARTS }, PIECE_CHARS);
    if (!piece) throw new Error('The page navigated while its text was read.');
    bounded.add(piece.tokens);
    ({ isLast } = piece);
  }
  return Buffer.from(layout.toString(), 'utf8');
}

/** What is still to be visited, the next entry last. */
type Stack = (Token | readonly [kind: 'element', element: Element])[];

interface Walk extends Pick<WalkOptions, 'masks' | 'hasMarkup'> {
  readonly stack: Stack;
  readonly omitted: { has(element: Element): boolean };
  /** Line numbers of the code blocks so far. */
  readonly lineNumbers: Set<Element>;
  /** Labels of footnotes, by their elements. */
  readonly notes: Map<Element, string>;
}

/** Kept in the isolated world between two calls, under a symbol: an element's name could shadow a string. */
interface World {
  [key: symbol]: unknown;
}

/** The main content of the page, in the isolated world. */
export interface MainContent {
  readonly root: Element;
  readonly omitted: ReadonlySet<Element>;
  /** Footnotes of it that stand elsewhere, and follow it. */
  readonly notes: readonly Element[];
}

/** Runs in the page: starts the walk. Returns what is wrong with the selector, or null. */
function startWalk({ start, masks, hasMarkup }: WalkOptions, safe: SafeAccess): string | null {
  const page = safe(document);
  const world = globalThis as unknown as World;
  const main = start === 'main' ? (world[Symbol.for('main')] as MainContent | undefined) : undefined;
  let root: Element | null = main?.root ?? page.documentElement;
  if (typeof start === 'object') {
    try {
      root = page.querySelector(start.selector);
    } catch {
      return `selector (${start.selector}) is not a selector that the browser knows.`;
    }
    if (root === null) return `selector (${start.selector}) matches nothing on the page.`;
    const isShown = getComputedStyle(root).display === 'contents' || safe(root).checkVisibility();
    if (!isShown) return `selector (${start.selector}) matches an element that is not displayed.`;
  }
  const isMasked = !root || masks.some((mask) => safe(root).closest(mask));
  const roots = isMasked ? [] : [root, ...(main?.notes ?? [])];
  const stack: Stack = roots.map((each): Stack[number] => ['element', each]).reverse();
  const notes = hasMarkup ? findNotes(roots, safe) : new Map<Element, string>();
  const walk: Walk = {
    stack,
    masks,
    hasMarkup,
    omitted: main?.omitted ?? new Set(),
    lineNumbers: new Set(),
    notes,
  };
  world[Symbol.for('walk')] = walk;
  return null;
}

/**
 * Runs in the page: walks on through the elements that are displayed, open shadow roots and the frames that scripts of the
 * page can read. Returns null when the page has navigated since the walk started.
 */
function continueWalk(maxChars: number, safe: SafeAccess): Piece | null {
  const walk = (globalThis as unknown as World)[Symbol.for('walk')] as Walk | undefined;
  if (!walk) return null;
  const tokens: Token[] = [];
  for (let chars = 0; walk.stack.length > 0 && chars < maxChars; chars += 1) {
    const next = walk.stack.pop() as Stack[number];
    if (next[0] === 'element')
      for (const entry of expand(walk, next[1], safe).reverse()) walk.stack.push(entry);
    else chars += (tokens.push(next), next[1].length + JSON.stringify(next[3] ?? '').length);
  }
  return { tokens, isLast: walk.stack.length === 0 };
}

/** Runs in the page: the nodes that an element displays. */
export function displayedChildren(element: Element, safe: SafeAccess): Iterable<Node | null> {
  const own = safe(element) as Element & Partial<HTMLSlotElement & HTMLIFrameElement>;
  if (own.contentDocument) return [safe(own.contentDocument).documentElement];
  // What these show is not their content.
  if (/^(iframe|textarea|select|video|audio|canvas)$/.test(own.localName)) return [];
  const assigned = own.assignedNodes?.() ?? [];
  return own.shadowRoot ? safe(own.shadowRoot).childNodes : assigned.length > 0 ? assigned : own.childNodes;
}

/** Runs in the page: the edges and the content of an element; nothing for one that is not displayed. */
function expand(walk: Walk, element: Element, safe: SafeAccess): Stack {
  const own = safe(element);
  const style = getComputedStyle(element);
  const { display, whiteSpaceCollapse, textTransform } = style;
  const isShown = display === 'contents' || own.checkVisibility();
  if (!isShown && !(walk.hasMarkup && isUndrawnTex(element, safe))) return [];
  if (walk.omitted.has(element) || walk.masks.some((mask) => own.matches(mask))) return [];
  if (walk.lineNumbers.has(element)) return [];
  if (own.localName === 'pre') {
    if (isCodeGutter(element, safe)) return [];
    for (const number of lineNumbersIn(element, safe)) walk.lineNumbers.add(number);
  }
  const formula = own.localName === 'math' && !walk.hasMarkup ? formulaText(element, safe) : undefined;
  const markup = walk.hasMarkup ? describeElement(element, walk.notes, safe) : undefined;
  if (markup === null) return [];
  const marks =
    /^(br|a|b|strong|i|em|var|cite|dfn|del|s|strike|code|kbd|samp|tt|sub|sup|q|img|input|math|note|pre|h[1-6]|ul|ol|li|dl|dt|dd|blockquote|summary|table|caption|tr|td|th)$/;
  const isMark = walk.hasMarkup ? marks.test(markup?.name ?? '') : own.localName === 'br';
  const isBox = isMark || !/^(inline|contents|ruby|math)/.test(display);
  const isClosed = style.contentVisibility === 'hidden' || own.matches('details:not([open])');
  const inside: Stack = [];
  if (formula !== undefined) inside.push(['text', formula.slice(0, 10_000), 'collapse', 'none']);
  for (const child of markup?.isEmpty || formula !== undefined ? [] : displayedChildren(element, safe)) {
    const type = child && safe(child).nodeType;
    if (type === Node.ELEMENT_NODE) inside.push(['element', child as Element]);
    if (type !== Node.TEXT_NODE || isClosed || style.visibility !== 'visible') continue;
    // By code points, so that no surrogate pair is split.
    for (const part of (child as Text).data.toWellFormed().match(/[^]{1,100000}/gu) ?? [])
      inside.push(['text', part, whiteSpaceCollapse, textTransform]);
  }
  if (!isBox) return inside;
  const name = markup?.name ?? own.localName;
  return [['start', display, name, markup?.attributes], ...inside, ['end', display, name]];
}

const WALK_PARTS = [expand, displayedChildren, ...FORMULAS, ...NUMBERING, ...DESCRIBING, ...NOTES];
