import type { PageBoxes } from './page-boxes.js';

/**
 * Runs in the page. Number of its outermost elements below the window with content that take up space and are not drawn, up to 100. What
 * is hidden in the window at the start of a page is meant to be.
 */
export function countUnrevealed(boxes: PageBoxes, isSeen: (element: Element) => boolean): number {
  const isVisible = (element: Element, options?: CheckVisibilityOptions): boolean =>
    Element.prototype.checkVisibility.call(element, options);
  const drawn = { opacityProperty: true, visibilityProperty: true };
  const hasContent = (element: Element, { width, height }: DOMRect): boolean => {
    const text = String(Reflect.get(Node.prototype, 'textContent', element));
    const isLarge = width * height >= (innerWidth * innerHeight) / 20;
    return (
      isLarge || text.trim().length > 10 || Element.prototype.querySelector.call(element, 'img, svg') !== null
    );
  };
  const found: Element[] = [];
  for (const element of boxes.all()) {
    if (isVisible(element, drawn) || !isVisible(element) || isSeen(element)) continue;
    if (found.some((each) => Node.prototype.contains.call(each, element))) continue;
    const box = boxes.of(element);
    const isPlaced = box.width >= 100 && box.height >= 50 && box.top >= innerHeight && box.right > 0;
    if (isPlaced && boxes.isInFlow(element) && !boxes.isPinned(element) && hasContent(element, box))
      found.push(element);
    if (found.length === 100) break;
  }
  return found.length;
}
