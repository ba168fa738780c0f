import type { Visit } from './family.js';
import { inPage, type SafeAccess } from './in-page.js';

/** How far a page reaches sideways, in CSS px. */
export interface HorizontalExtent {
  /** Left edge of the window in the page before it is scrolled sideways: 0, save where a page grows to the left. */
  readonly window: number;
  /** Edges of what can be seen of the page by scrolling sideways. */
  readonly left: number;
  readonly right: number;
}

/**
 * How far a page that is wider than its window can be seen. Nothing beyond the window can be where the page does not scroll
 * sideways (`overflow-x: hidden`). What makes it scroll without being visible, such as a menu that waits outside the window,
 * does not count.
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
  // Chromium counts clips from the left end of a page, and scrolls one of a right-to-left language from its right end.
  const isToLeft = styles.some((style) => style.direction === 'rtl' || style.writingMode === 'vertical-rl');
  const excess = Math.max(0, safe(root).scrollWidth - windowWidth);
  const start = isToLeft ? excess : 0;
  // What `body` says holds for the window where the root says nothing.
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
