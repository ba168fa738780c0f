import type { SafeAccess } from '../../pipeline/in-page.js';
import { displayedChildren } from './page-walk.js';

/** A copy of what the page displays, in a document of its own: what reads it can change it without changing the page. */
export interface PageCopy {
  readonly document: Document;
  /** The elements of the page in document order, the body first. */
  readonly elements: Element[];
  /** Their copies. */
  readonly copies: Element[];
  /** The number of the element around each; -1 for the body. */
  readonly parents: number[];
  /** The numbers of the elements directly in each. */
  readonly children: number[][];
  readonly depths: number[];
  /** Characters in each without white space, and those of them in links. An ideograph says as much as two letters. */
  readonly chars: number[];
  readonly linkChars: number[];
  /** Characters of prose in each: of paragraphs and other blocks that say something, most of it outside of links. */
  readonly prose: number[];
}

/**
 * Runs in the page: copies what it displays, shadow roots and frames that scripts of the page can read included. Returns null
 * for a page that is too large for its main content to be found in a few seconds.
 */
export function copyPage(
  { attribute, masks }: { readonly attribute: string; readonly masks: readonly string[] },
  safe: SafeAccess,
): PageCopy | null {
  const MAX_ELEMENTS = 30_000;
  const MAX_CHARS = 2_000_000;
  const page = safe(document);
  const copy = emptyCopy(page);
  let chars = 0;
  const stack: (readonly [node: Node | string | null, parent: number])[] = [
    [page.body ?? page.documentElement, -1],
  ];
  for (let next = stack.pop(); next; next = stack.pop()) {
    const [node, parent] = next;
    if (typeof node === 'string') {
      chars += addText(copy, parent, node);
      if (chars > MAX_CHARS) return null;
    }
    if (typeof node === 'string' || !node || safe(node).nodeType !== Node.ELEMENT_NODE) continue;
    const content = displayedContent(node as Element, masks, safe);
    if (!content) continue;
    if (copy.elements.length === MAX_ELEMENTS) return null;
    const inside = addElement(copy, parent, safe(node) as Element);
    copy.elements[copy.elements.length - 1] = node as Element;
    copy.copies.at(-1)?.setAttribute(attribute, String(copy.copies.length - 1));
    for (const child of content.reverse()) stack.push([child, inside]);
  }
  addProse(copy);
  addUp(copy);
  return copy.elements.length > 0 ? copy : null;
}

/** Runs in the page: a copy of nothing yet. */
export function emptyCopy(page: Document): PageCopy {
  const document = page.implementation.createHTMLDocument('');
  const counts = { depths: [], chars: [], linkChars: [], prose: [] };
  return { document, elements: [], copies: [], parents: [], children: [], ...counts };
}

/** Runs in the page: adds an element to a copy. Returns the number of the one that its content goes into. */
export function addElement(copy: PageCopy, parent: number, own: Element): number {
  // What is deeper goes into the element at that depth, because cloning and parsing are recursive.
  const MAX_DEPTH = 250;
  const number = copy.elements.length;
  const { document: to } = copy;
  const one = number === 0 ? to.body : to.createElement(nameOfCopy(own.localName));
  copyAttributes(own, one);
  const depth = (copy.depths[parent] ?? 0) + 1;
  copy.depths.push(depth);
  copy.elements.push(own);
  copy.copies.push(one);
  copy.parents.push(parent);
  copy.children.push([]);
  copy.chars.push(0);
  copy.linkChars.push(0);
  copy.prose.push(0);
  copy.children[parent]?.push(number);
  copy.copies[parent]?.append(one);
  return depth < MAX_DEPTH ? number : parent;
}

/**
 * Runs in the page: finds the blocks that are prose, by the characters directly in each element. A sentence is; a button, a date
 * or a headline is not, and neither is a list of links.
 */
export function addProse({ parents, copies, chars, linkChars, prose }: PageCopy): void {
  const MIN_CHARS = 60;
  const inline =
    /^(a|abbr|b|bdi|bdo|big|cite|code|data|del|dfn|em|font|i|ins|kbd|mark|q|s|samp|small|span|strong|sub|sup|time|tt|u|var)$/;
  const blocks: number[] = [];
  const inLinks: number[] = [];
  copies.forEach(({ localName }, each) => {
    const block = inline.test(localName) ? (blocks[parents[each] as number] ?? each) : each;
    blocks.push(block);
    inLinks.push(0);
    inLinks[block] = (inLinks[block] ?? 0) + (linkChars[each] ?? 0);
    prose[block] = (prose[block] ?? 0) + (chars[each] ?? 0);
  });
  prose.forEach((all, each) => {
    const said = all - (inLinks[each] ?? 0);
    prose[each] = said >= MIN_CHARS && said * 2 > all ? said : 0;
  });
}

/** Runs in the page: adds the characters in each element to those of the one around it. */
export function addUp({ parents, chars, linkChars, prose }: PageCopy): void {
  for (let each = parents.length - 1; each > 0; each -= 1) {
    const parent = parents[each] as number;
    for (const counts of [chars, linkChars, prose])
      counts[parent] = (counts[parent] ?? 0) + (counts[each] ?? 0);
  }
}

/** Runs in the page: the elements and texts that an element displays; null when it is not displayed itself. */
export function displayedContent(
  element: Element,
  masks: readonly string[],
  safe: SafeAccess,
): (Node | string | null)[] | null {
  const own = safe(element);
  const style = getComputedStyle(element);
  if (style.display !== 'contents' && !own.checkVisibility()) return null;
  if (masks.some((mask) => own.matches(mask))) return null;
  const hasTexts =
    style.visibility === 'visible' &&
    style.contentVisibility !== 'hidden' &&
    !own.matches('details:not([open])');
  const content: (Node | string | null)[] = [];
  for (const child of displayedChildren(element, safe)) {
    if (child && safe(child).nodeType === Node.TEXT_NODE) {
      if (hasTexts) content.push((child as Text).data);
    } else content.push(child);
  }
  return content;
}

/** Runs in the page: adds text to a copy. Returns its length without white space. */
export function addText(copy: PageCopy, parent: number, text: string): number {
  const { length } = text.replace(/\s+/g, '');
  const ideographs = text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu)?.length ?? 0;
  const around = copy.copies[parent];
  around?.append(text);
  copy.chars[parent] = (copy.chars[parent] ?? 0) + length + ideographs;
  if (around?.closest('a')) copy.linkChars[parent] = (copy.linkChars[parent] ?? 0) + length + ideographs;
  return length;
}

/** Runs in the page: the name for the copy of an element. A form's properties could be shadowed; others cannot be copied. */
export function nameOfCopy(name: string): string {
  if (
    /^(form|body|html|head|frameset|frame|iframe|noscript|object|embed|template|style|script|plaintext)$/.test(
      name,
    )
  )
    return 'div';
  return /^[a-z][a-z0-9]*$/.test(name) ? name : 'span';
}

/** Runs in the page: copies the attributes that distinguish content from the rest. */
export function copyAttributes(from: Element, to: Element): void {
  const named = [
    'class',
    'role',
    'href',
    'rel',
    'src',
    'alt',
    'width',
    'height',
    'align',
    'type',
    'aria-label',
    'itemprop',
    'data-component',
    'data-testid',
  ];
  // By its id, a control or an image would shadow properties of what is around it.
  if (!/^(input|button|select|textarea|img|fieldset|output)$/.test(from.localName)) named.push('id');
  for (const name of named) {
    const value = from.getAttribute(name);
    if (value !== null) to.setAttribute(name, value.slice(0, 500));
  }
}

/** What `copyPage` calls in the page. */
export const COPYING = [
  ...[copyPage, emptyCopy, addElement, addProse, addUp, displayedContent, displayedChildren],
  ...[addText, nameOfCopy, copyAttributes],
];
