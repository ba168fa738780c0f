import type { SafeAccess } from './in-page.js';

/** A point of the window, and the uppermost element there. */
export interface Hit {
  readonly x: number;
  readonly y: number;
  readonly element: Element;
}

/**
 * Runs in the page, in the isolated world of `inPage`. Reads what the window shows. A document may have any number of nodes, so
 * that every list is cut.
 */
export class WindowReader {
  constructor(readonly safe: SafeAccess) {}

  /** Whether the element takes up at least `minArea` px² and part of the window. */
  isInWindow(element: Element, minArea: number): boolean {
    const target = this.safe(element);
    // An element that is not displayed has no boxes; an image that has not loaded may have an empty one.
    if (target.getClientRects().length === 0) return false;
    const { top, left, bottom, right, width, height } = target.getBoundingClientRect();
    const isNear = bottom >= 0 && right >= 0 && top < innerHeight && left < innerWidth;
    return isNear && width * height >= minArea;
  }

  isVisible(element: Element, minArea: number): boolean {
    const isSeen = { opacityProperty: true, visibilityProperty: true };
    return this.isInWindow(element, minArea) && this.safe(element).checkVisibility(isSeen);
  }

  find(selector: string, root: Document | Element = document): Element[] {
    return Array.prototype.slice.call(this.safe(root).querySelectorAll(selector), 0, 100) as Element[];
  }

  /** The uppermost elements at the points of a grid, also within shadow roots. */
  hits(): Hit[] {
    return [0.02, 0.2, 0.4, 0.6, 0.8, 0.98].flatMap((across) =>
      [0.02, 0.25, 0.5, 0.75, 0.98].flatMap((down) => {
        const [x, y] = [innerWidth * across, innerHeight * down];
        let element = this.safe(document).elementFromPoint(x, y);
        for (let depth = 0; element && depth < 10; depth += 1) {
          const inner: Element | null = this.safe(element).shadowRoot?.elementFromPoint(x, y) ?? null;
          if (!inner || inner === element) break;
          element = inner;
        }
        return element ? [{ x, y, element }] : [];
      }),
    );
  }

  /** Calls `use` with the words of each text until it returns false, for at most 2,000 texts. */
  eachText(root: Node, use: (text: string, parent: Element, node: Node) => boolean): void {
    const walker = this.safe(document).createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let count = 0; count < 2_000 && walker.nextNode(); count += 1) {
      const { currentNode: node } = walker;
      const text = (node as Text).data.slice(0, 1_000).trim();
      const parent = node.parentElement;
      if (text === '' || !parent || this.isUnseen(parent)) continue;
      if (!use(text, parent, node)) return;
    }
  }

  /** The text of an element, cut after a little more than `length`. */
  textOf(element: Node, length: number): string {
    let text = '';
    this.eachText(element, (each) => (text += each).length <= length);
    return text;
  }

  /** Whether an element has at most a few words, and no pictures. */
  isWordless(element: Element): boolean {
    return (
      this.textOf(element, 40).length <= 40 &&
      this.find('img, video, canvas, iframe, input', element).length === 0
    );
  }

  holds(outer: Node, inner: Node): boolean {
    return Node.prototype.contains.call(outer, inner);
  }

  opacityOf(colour: string): number {
    const [, alpha] = /[,/]\s*([\d.]+)\s*\)$/.exec(colour.startsWith('rgb(') ? '' : colour) ?? [];
    return alpha === undefined ? 1 : Number(alpha);
  }

  private isUnseen(element: Element): boolean {
    return /^(script|style|noscript|template|title)$/i.test(this.safe(element).localName);
  }
}
