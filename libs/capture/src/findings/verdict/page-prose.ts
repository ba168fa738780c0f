import type { SafeAccess } from '../../pipeline/in-page.js';

/** How much is read. */
export interface ProseLimits {
  readonly maxText: number;
  readonly maxNodes: number;
}

/**
 * Runs in the page, for a page with more text than is read. Its main heading, and how many characters of prose are in the part of
 * the page in which the heading stands.
 */
export function readMainPart(
  { maxText, maxNodes }: ProseLimits,
  safe: SafeAccess,
): { headings: string[]; prose: number } {
  const page = safe(document);
  const isVisible = (element: Element): boolean =>
    Element.prototype.checkVisibility.call(element, { opacityProperty: true, visibilityProperty: true });
  const heading = page.querySelector('h1');
  const part = heading?.closest('main, [role="main"], article, section') ?? heading?.parentElement;
  if (!heading || !part || !isVisible(heading)) return { headings: [], prose: maxText };
  const walker = page.createTreeWalker(part, NodeFilter.SHOW_TEXT);
  let prose = 0;
  for (let count = 0; count < maxNodes && prose < maxText && walker.nextNode(); count += 1) {
    const { parentElement: parent } = walker.currentNode;
    if (parent && isProse(parent) && isVisible(parent)) prose += (walker.currentNode as Text).length;
  }
  return { headings: [textIn(heading, safe)], prose };
}

/** Whether a text in this element is neither a heading nor a link or button, nor part of what frames the page. */
export function isProse(parent: Element | null): boolean {
  const others = 'h1, h2, h3, a, button, label, select, nav, header, footer, [role="navigation"]';
  return parent === null || Element.prototype.closest.call(parent, others) === null;
}

/** The first 200 characters of the text in an element, white space collapsed. */
export function textIn(element: Element, safe: SafeAccess): string {
  const walker = safe(document).createTreeWalker(element, NodeFilter.SHOW_TEXT);
  let text = '';
  for (let count = 0; count < 20 && text.length < 200 && walker.nextNode(); count += 1)
    text += (walker.currentNode as Text).substringData(0, 200);
  return text.replace(/\s+/g, ' ').trim().slice(0, 200);
}

/** What `readMainPart` uses. */
export const PROSE_PARTS = [isProse, textIn];
