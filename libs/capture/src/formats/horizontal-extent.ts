import type { Visit } from '../pipeline/family.js';
import { inPage, type SafeAccess } from '../pipeline/in-page.js';

/** The horizontal extent of a page in CSS px. */
export interface HorizontalExtent {
  /** Left edge of the window before horizontal scrolling: 0, except where a page grows to the left. */
  readonly window: number;
  /** Edges of what horizontal scrolling can show. */
  readonly left: number;
  readonly right: number;
}

/**
 * Measures a page that is wider than its window. A page that does not scroll horizontally (`overflow-x: hidden`) shows
 * nothing beyond the window. Invisible content that makes the page wider, such as a closed menu, does not count.
 */
export function measureHorizontalExtent(visit: Visit, windowWidth: number): Promise<HorizontalExtent> {
  return inPage(visit, sidesOf, windowWidth);
}

/** Runs in the page. */
function sidesOf(windowWidth: number, safe: SafeAccess): HorizontalExtent {
  const page = safe(document);
  const root = page.documentElement as HTMLElement | null;
  if (!root) return { window: 0, left: 0, right: windowWidth };
  const body = page.body as HTMLElement | null;
  const styles = [root, ...(body ? [body] : [])].map((element) => getComputedStyle(element));
  // Chromium measures clips from the left end of a page, but a right-to-left page starts at its right end.
  const isToLeft = styles.some((style) => style.direction === 'rtl' || style.writingMode === 'vertical-rl');
  const excess = Math.max(0, safe(root).scrollWidth - windowWidth);
  const start = isToLeft ? excess : 0;
  // The overflow of `body` applies to the window where the root has none.
  const overflow = styles.map(({ overflowX }) => overflowX).find((value) => value !== 'visible');
  let [left, right] = [start, start + windowWidth];
  const reach = (node: Node, box: DOMRect): void => {
    const from = box.left + window.scrollX + start;
    const to = box.right + window.scrollX + start;
    if (box.width === 0 || box.height === 0 || (from >= left && to <= right)) return;
    const element = node instanceof Element ? node : node.parentElement;
    if (!element || !safe(element).checkVisibility({ opacityProperty: true, visibilityProperty: true }))
      return;
    if (getComputedStyle(element).position === 'fixed') return;
    [left, right] = [Math.min(left, from), Math.max(right, to)];
  };
  const range = page.createRange();
  const look = (top: Node): void => {
    const walker = page.createTreeWalker(top, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (!(node instanceof Element)) range.selectNode(node);
      reach(node, (node instanceof Element ? safe(node) : range).getBoundingClientRect());
      if (node instanceof Element && safe(node).shadowRoot) look(safe(node).shadowRoot as ShadowRoot);
    }
  };
  if (overflow !== 'hidden' && overflow !== 'clip') look(document);
  return {
    window: start,
    left: Math.floor(Math.max(0, left)),
    right: Math.ceil(Math.min(right, start + windowWidth + (isToLeft ? 0 : excess))),
  };
}
