import type { PageBoxes } from './page-boxes.js';

/** The page below its window as far as it is captured, in CSS px. */
interface Below {
  readonly windowHeight: number;
  readonly maxHeight: number;
}

/** Numbers of parts of a page, up to 100. */
export interface Unrevealed {
  readonly unrevealed: number;
  /** Those that leave a blank stretch of at least half of the width. */
  readonly blank: number;
}

/**
 * Runs in the page. Finds its outermost elements with content that take up space and are not drawn, nor anything in their place. What is
 * hidden in the window at the start of a page is meant to be.
 */
export function findUnrevealed(
  boxes: PageBoxes,
  { windowHeight, maxHeight }: Below,
  isSeen: (element: Element) => boolean,
): Unrevealed {
  const isVisible = (element: Element, options?: CheckVisibilityOptions): boolean =>
    Element.prototype.checkVisibility.call(element, options);
  const isDrawn = (element: Element): boolean =>
    isVisible(element, { opacityProperty: true, visibilityProperty: true });
  const isPlaced = ({ width, height, top, right }: DOMRect): boolean =>
    width >= 100 && height >= 50 && top + scrollY >= windowHeight && top + scrollY < maxHeight && right > 0;
  const hasContent = (element: Element, { width, height }: DOMRect): boolean => {
    const text = String(Reflect.get(Node.prototype, 'textContent', element));
    const isLarge = width * height >= (innerWidth * windowHeight) / 20;
    const hasPicture = Element.prototype.querySelector.call(element, 'img, svg') !== null;
    return isLarge || text.trim().length > 10 || hasPicture;
  };
  const isCovered = (element: Element, box: DOMRect): boolean => {
    const parent = boxes.parentOf(element);
    const others = parent ? boxes.childrenOf(parent) : [];
    return others.some((other) => isDrawn(other) && boxes.overlap(box, boxes.boxOf(other)));
  };
  const found = new Map<Element, DOMRect>();
  for (const element of boxes.elements()) {
    if (isDrawn(element) || !isVisible(element) || isSeen(element)) continue;
    if ([...found.keys()].some((each) => Node.prototype.contains.call(each, element))) continue;
    const box = boxes.boxOf(element);
    const isPart = isPlaced(box) && boxes.isInFlow(element) && !boxes.isPinned(element);
    if (isPart && hasContent(element, box) && !isCovered(element, box)) found.set(element, box);
    if (found.size === 100) break;
  }
  const blank = [...found.values()].filter(({ width, height }) => width >= innerWidth / 2 && height >= 100);
  return { unrevealed: found.size, blank: blank.length };
}
