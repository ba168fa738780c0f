/** Runs in the page: where elements are, past what a page redefines. */
export class PageBoxes {
  elements(): Element[] {
    return Array.prototype.slice.call(document.getElementsByTagName('*'), 0, 20_000) as Element[];
  }

  boxOf(element: Element): DOMRect {
    return Element.prototype.getBoundingClientRect.call(element);
  }

  isInWindow({ top, bottom, left, right }: DOMRect): boolean {
    return bottom > 0 && top < innerHeight && right > 0 && left < innerWidth;
  }

  /** Whether two boxes share at least half of the smaller one. */
  overlap(one: DOMRect, other: DOMRect): boolean {
    const width = Math.min(one.right, other.right) - Math.max(one.left, other.left);
    const height = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
    if (width <= 0 || height <= 0) return false;
    return width * height >= Math.min(one.width * one.height, other.width * other.height) / 2;
  }

  parentOf(element: Element): Element | null {
    const parent: unknown = Reflect.get(Node.prototype, 'parentNode', element);
    return parent instanceof ShadowRoot ? parent.host : parent instanceof Element ? parent : null;
  }

  childrenOf(element: Element): Element[] {
    const children: unknown = Reflect.get(Element.prototype, 'children', element);
    return Array.prototype.slice.call(children as HTMLCollection, 0, 1_000) as Element[];
  }

  isInFlow(element: Element): boolean {
    return /^(static|relative|sticky)$/.test(getComputedStyle(element).position);
  }

  /** What an element stays in the window with as the page scrolls; a small sticky one is a header or a side bar. */
  pinOf(element: Element): { readonly element: Element; readonly isLarge: boolean } | undefined {
    for (let each: Element | null = element; each; each = this.parentOf(each)) {
      const { position } = getComputedStyle(each);
      if (position !== 'fixed' && position !== 'sticky') continue;
      const isLarge = this.boxOf(each).height >= innerHeight / 2;
      if (position === 'fixed' || !isLarge || this.isStuck(each)) return { element: each, isLarge };
    }
    return undefined;
  }

  /** Whether what is sticky has been moved by that, as its parts have then. */
  private isStuck(element: Element): boolean {
    const top = parseFloat(getComputedStyle(element).top);
    return Math.abs(this.boxOf(element).top - (Number.isNaN(top) ? 0 : top)) < 1;
  }

  /** Whether the element belongs to something that stays in the window as the page scrolls: a header, a dialog. */
  isPinned(element: Element): boolean {
    const pin = this.pinOf(element);
    return pin !== undefined && !(pin.isLarge && getComputedStyle(pin.element).position === 'sticky');
  }
}
