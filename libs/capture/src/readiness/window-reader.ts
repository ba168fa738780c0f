import type { SafeAccess } from '../pipeline/in-page.js';

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

  find(selector: string, root: ParentNode & Node = document): Element[] {
    return Array.prototype.slice.call(this.safe(root).querySelectorAll(selector), 0, 100) as Element[];
  }

  /** The uppermost elements at the points of a grid, also within shadow roots. */
  readHits(): Hit[] {
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

  /** Whether `isWanted` is true of the element and the place of a text in the window. */
  someText(root: Node, isWanted: (parent: Element, place: DOMRect) => boolean): boolean {
    let isFound = false;
    const range = this.safe(document).createRange();
    this.eachText(root, (_, parent, node) => {
      range.selectNodeContents(node);
      const place = range.getBoundingClientRect();
      const { top, left, bottom, right, width, height } = place;
      const isInWindow =
        width * height > 0 && bottom > 0 && right > 0 && top < innerHeight && left < innerWidth;
      isFound = isInWindow && this.isVisible(parent, 0) && isWanted(parent, place);
      return !isFound;
    });
    return isFound;
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

  /** Whether an element has words that can be seen. Skeletons may hold hidden ones, or a space without width. */
  showsWords(element: Element): boolean {
    let isShown = false;
    this.eachText(element, (text, parent) => {
      const isText = /[^\u200b-\u200d\ufeff\s]/.test(text);
      isShown = isText && this.isVisible(parent, 0) && this.opacityOf(getComputedStyle(parent).color) > 0;
      return !isShown;
    });
    return isShown;
  }

  /** Whether an element has pictures or controls that can be seen. */
  showsMedia(element: Element): boolean {
    const media = 'img, video, canvas, iframe, object, embed, input, button, select, textarea';
    return this.find(media, element).some((each) => this.isVisible(each, 64));
  }

  /** Whether most of the window is blank, the page has few words, and little of it lies below the window. */
  isBare(hits: readonly Hit[]): boolean {
    const { scrollingElement, documentElement } = this.safe(document);
    const height = ((scrollingElement ?? documentElement) as Element | null)?.scrollHeight ?? 0;
    const blank = hits.filter(({ element }) => this.isBlank(element));
    const isBlank = height <= innerHeight * 1.3 && blank.length >= hits.length * 0.6;
    return isBlank && this.textOf(document, 600).length <= 600;
  }

  /** Whether an element shows nothing itself, but only by those in it. */
  private isBlank(element: Element): boolean {
    const media = /^(img|video|canvas|svg|iframe|object|embed|input|button|select|textarea)$/;
    const target = this.safe(element);
    if (target instanceof SVGElement || media.test(target.localName)) return false;
    const nodes = Array.prototype.slice.call(target.childNodes, 0, 50) as Node[];
    return !nodes.some((node) => node instanceof Text && /\S/.test(node.data));
  }

  /** Whether nothing lies over its middle. What ignores the pointer is not hit; its parent is. */
  isUppermost(element: Element): boolean {
    const { top, left, bottom, right } = this.safe(element).getBoundingClientRect();
    const root = this.safe(element).getRootNode() as Document | ShadowRoot;
    const owner = root instanceof ShadowRoot ? root : this.safe(document);
    const x = (Math.max(left, 0) + Math.min(right, innerWidth)) / 2;
    const hit = owner.elementFromPoint(x, (Math.max(top, 0) + Math.min(bottom, innerHeight)) / 2);
    return hit !== null && (this.contains(element, hit) || this.contains(hit, element));
  }

  contains(outer: Node, inner: Node): boolean {
    return Node.prototype.contains.call(outer, inner);
  }

  opacityOf(colour: string): number {
    const [, alpha] = /[,/]\s*([\d.]+)\s*\)$/.exec(colour.startsWith('rgb(') ? '' : colour) ?? [];
    return alpha === undefined ? 1 : Number(alpha);
  }

  isGrey(colour: string): boolean {
    const numbers = (colour.match(/[\d.]+/g) ?? []).slice(0, 3).map(Number);
    if (!/^rgba?\(/.test(colour))
      return /^(ok)?l(ch|ab)\(/.test(colour) && this.isGreyLightness(colour, numbers);
    return Math.max(...numbers) - Math.min(...numbers) <= 48;
  }

  private isUnseen(element: Element): boolean {
    return /^(script|style|noscript|template|title)$/i.test(this.safe(element).localName);
  }

  /** Chroma of `oklch` and `lch`, and distance from the axis of grey of `oklab` and `lab`. */
  private isGreyLightness(colour: string, [, first = 0, second = 0]: readonly number[]): boolean {
    const chroma = colour.includes('lch(') ? first : Math.hypot(first, second);
    return chroma <= (colour.startsWith('ok') ? 0.05 : 15);
  }
}
