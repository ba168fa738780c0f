import type { SafeAccess } from '../pipeline/in-page.js';

/** An element that stays in the window while the page scrolls, or lies above all of the page. */
export interface Floating {
  readonly element: HTMLElement;
  readonly layer: 'dialog' | 'popover' | 'fixed' | 'sticky';
}

/** A part of the window, in CSS px. */
export interface WindowBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/**
 * Runs in the page: finds the elements that float over it and the part of the window that each of them paints, in the document
 * and in its open shadow roots. A document may have any number of nodes, so that every list is cut.
 *
 * The class is sent as text, so that it refers to nothing but its arguments and the browser.
 */
export class FloatingElements {
  /** The window is looked at in so many columns and rows. */
  private readonly grid = { columns: 24, rows: 16 };

  constructor(private readonly safe: SafeAccess) {}

  /** Those that are displayed, in the order of the document: what is around others comes first. */
  find(): Floating[] {
    const LIMITS = { elements: 30_000, ms: 40, roots: 500 };
    const found: Floating[] = [];
    const roots: Node[] = [document];
    const until = performance.now() + LIMITS.ms;
    let left = LIMITS.elements;
    const accept = (node: Node): number => {
      left -= 1;
      if (left < 0 || (left % 256 === 0 && performance.now() > until)) {
        left = -1;
        return NodeFilter.FILTER_REJECT;
      }
      const { position, display } = getComputedStyle(node as Element);
      if (display === 'none') return NodeFilter.FILTER_REJECT;
      const { shadowRoot } = this.safe(node as Element);
      if (shadowRoot && roots.length < LIMITS.roots) roots.push(shadowRoot);
      return position === 'fixed' || position === 'sticky' || this.isOnTop(node)
        ? NodeFilter.FILTER_ACCEPT
        : NodeFilter.FILTER_SKIP;
    };
    // Not a `for … of`: shadow roots are added on the way.
    for (let next = 0; next < roots.length; next += 1) {
      const walker = this.safe(document).createTreeWalker(
        roots[next] ?? document,
        NodeFilter.SHOW_ELEMENT,
        accept,
      );
      for (let node = walker.nextNode(); node && found.length < 1_000; node = walker.nextNode())
        if (node instanceof HTMLElement) found.push({ element: node, layer: this.layerOf(node) });
    }
    return found;
  }

  /** The cells of a grid over the window that an element paints. */
  cellsOf({ element: root, layer }: Floating): ReadonlySet<number> {
    const cells = new Set<number>();
    const add = (box: DOMRect): void => {
      for (const cell of this.cellsIn(box)) cells.add(cell);
    };
    const whole = new DOMRect(0, 0, innerWidth, innerHeight);
    if (this.isVisible(root) && this.dims(root, layer)) add(whole);
    for (const element of this.shownIn(root, 400)) {
      if (cells.size === this.grid.columns * this.grid.rows) break;
      if (this.paints(element) && this.isVisible(element)) add(this.safe(element).getBoundingClientRect());
    }
    return cells;
  }

  /** The part of the window that these cells are, from 0 to 1. */
  shareOf(cells: ReadonlySet<number>): number {
    return cells.size / (this.grid.columns * this.grid.rows);
  }

  /** The middle of a cell. */
  pointOf(cell: number): readonly [x: number, y: number] {
    const { columns, rows } = this.grid;
    const [column, row] = [cell % columns, Math.floor(cell / columns)];
    return [((column + 0.5) * innerWidth) / columns, ((row + 0.5) * innerHeight) / rows];
  }

  /** The cell at a point of the window. */
  cellAt(x: number, y: number): number {
    const { columns, rows } = this.grid;
    return Math.floor((y * rows) / innerHeight) * columns + Math.floor((x * columns) / innerWidth);
  }

  /** The cells whose middles are in a box. */
  cellsIn({ left, top, right, bottom }: Pick<DOMRect, 'left' | 'top' | 'right' | 'bottom'>): number[] {
    const { columns, rows } = this.grid;
    const firstIn = (share: number, count: number): number => Math.max(0, Math.ceil(share * count - 0.5));
    const lastIn = (share: number, count: number): number =>
      Math.min(count - 1, Math.floor(share * count - 0.5));
    const [firstColumn, lastColumn] = [
      firstIn(left / innerWidth, columns),
      lastIn(right / innerWidth, columns),
    ];
    const [firstRow, lastRow] = [firstIn(top / innerHeight, rows), lastIn(bottom / innerHeight, rows)];
    const cells: number[] = [];
    for (let row = firstRow; row <= lastRow; row += 1)
      for (let column = firstColumn; column <= lastColumn; column += 1) cells.push(row * columns + column);
    return cells;
  }

  /** The element and what is in it, with the content of open shadow roots, at most `limit` elements that are displayed. */
  shownIn(root: Element, limit: number): Element[] {
    const found: Element[] = [];
    const add = (element: Element): void => {
      if (found.length >= limit || getComputedStyle(element).display === 'none') return;
      found.push(element);
      for (const child of this.nodesOf(element)) if (child instanceof Element) add(child);
    };
    add(root);
    return found;
  }

  /** The visible words of an element, cut after about `length` characters. `skips` names elements that are left out. */
  wordsOf(root: Element, length: number, skips: (element: Element) => boolean = () => false): string {
    let [text, left] = ['', 3_000];
    const add = (element: Element, depth: number): void => {
      left -= 1;
      if (text.length > length || depth > 200 || left < 0) return;
      if (/^(script|style|noscript|template|svg)$/i.test(this.safe(element).localName) || skips(element))
        return;
      if (!this.isVisible(element) && getComputedStyle(element).display !== 'contents') return;
      for (const child of this.nodesOf(element)) {
        if (child instanceof Text) text += ` ${child.data.slice(0, length)}`;
        else if (child instanceof Element) add(child, depth + 1);
      }
    };
    add(root, 0);
    return text.replace(/\s+/g, ' ').trim().slice(0, length);
  }

  isVisible(element: Element): boolean {
    return this.safe(element).checkVisibility({ opacityProperty: true, visibilityProperty: true });
  }

  /** Whether it has words or pictures: what has none only dims or blurs the page. */
  holdsContent(root: Element): boolean {
    return (
      this.wordsOf(root, 1) !== '' ||
      this.shownIn(root, 200).some((element) => this.isReplaced(element) && this.isVisible(element))
    );
  }

  /** The box around what an element paints, without what fills the window. */
  boxOf(root: Element): WindowBox {
    const boxes = this.shownIn(root, 400)
      .filter((element) => this.paints(element) && this.isVisible(element))
      .map((element) => this.inWindow(this.safe(element).getBoundingClientRect()))
      .filter(({ width, height }) => width > 0 && height > 0);
    const parts = boxes.filter(({ width, height }) => width * height < 0.9 * innerWidth * innerHeight);
    const [first, ...others] = parts.length > 0 ? parts : boxes;
    if (!first) return { x: 0, y: 0, width: 0, height: 0 };
    let { x, y } = first;
    let [right, bottom] = [x + first.width, y + first.height];
    for (const other of others) {
      [x, y] = [Math.min(x, other.x), Math.min(y, other.y)];
      [right, bottom] = [Math.max(right, other.x + other.width), Math.max(bottom, other.y + other.height)];
    }
    return {
      x: Math.round(x),
      y: Math.round(y),
      width: Math.round(right - x),
      height: Math.round(bottom - y),
    };
  }

  private inWindow({ left, top, right, bottom }: DOMRect): WindowBox {
    const [x, y] = [Math.max(0, left), Math.max(0, top)];
    return { x, y, width: Math.min(innerWidth, right) - x, height: Math.min(innerHeight, bottom) - y };
  }

  /** Whether one element is around another, or is the same, through shadow roots. */
  contains(outer: Node, inner: Node | null): boolean {
    for (let node = inner; node; node = this.parentOf(node)) if (node === outer) return true;
    return false;
  }

  /** The element or document around a node, also around a shadow root. */
  parentOf(node: Node): Node | null {
    return node instanceof ShadowRoot ? node.host : this.safe(node).parentNode;
  }

  /** The uppermost element at a point, also within shadow roots. */
  hit(x: number, y: number): Element | null {
    let element = this.safe(document).elementFromPoint(x, y);
    for (let depth = 0; element && depth < 20; depth += 1) {
      const inner: Element | null = this.safe(element).shadowRoot?.elementFromPoint(x, y) ?? null;
      if (!inner || inner === element) break;
      element = inner;
    }
    return element;
  }

  /** Its content as it is displayed: the nodes of its shadow root, with what is put into their slots. */
  private nodesOf(element: Element): Node[] {
    if (element instanceof HTMLSlotElement) {
      const assigned = this.safe(element).assignedNodes();
      if (assigned.length > 0) return assigned;
    }
    const { shadowRoot } = this.safe(element);
    return Array.prototype.slice.call(this.safe<Node>(shadowRoot ?? element).childNodes, 0, 2_000) as Node[];
  }

  /** Whether it is in the top layer. */
  private isOnTop(node: Node): boolean {
    if (!(node instanceof HTMLElement)) return false;
    if (node instanceof HTMLDialogElement) return this.safe(node).matches(':modal, :popover-open');
    return this.safe(node).hasAttribute('popover') && this.safe(node).matches(':popover-open');
  }

  private layerOf(element: HTMLElement): Floating['layer'] {
    if (this.safe(element).matches(':modal')) return 'dialog';
    if (this.isOnTop(element)) return 'popover';
    return getComputedStyle(element).position === 'sticky' ? 'sticky' : 'fixed';
  }

  /** Whether a pseudo-element of it covers the window. */
  private dims(root: HTMLElement, layer: Floating['layer']): boolean {
    const isShade = (style: CSSStyleDeclaration): boolean =>
      style.backdropFilter !== 'none' ||
      style.backgroundImage !== 'none' ||
      this.opacityOf(style.backgroundColor) > 0.05;
    if (layer === 'dialog' && isShade(getComputedStyle(root, '::backdrop'))) return true;
    return ['::before', '::after'].some((name) => {
      const style = getComputedStyle(root, name);
      return style.content !== 'none' && style.position === 'fixed' && isShade(style);
    });
  }

  /** Whether the element paints its box. */
  hasBackground(element: Element): boolean {
    const { backgroundColor, backgroundImage, backdropFilter } = getComputedStyle(element);
    return this.opacityOf(backgroundColor) > 0.05 || backgroundImage !== 'none' || backdropFilter !== 'none';
  }

  /** Whether the element itself paints something: words, a picture, a field or a background. */
  private paints(element: Element): boolean {
    if (this.isReplaced(element) || this.hasBackground(element)) return true;
    return this.nodesOf(element).some((node) => node instanceof Text && node.data.trim() !== '');
  }

  private isReplaced(element: Element): boolean {
    return /^(img|video|canvas|svg|iframe|object|embed|input|button|select|textarea|picture)$/i.test(
      this.safe(element).localName,
    );
  }

  private opacityOf(colour: string): number {
    const [, alpha] = /[,/]\s*([\d.]+)\s*\)$/.exec(colour.startsWith('rgb(') ? '' : colour) ?? [];
    return alpha === undefined ? 1 : Number(alpha);
  }
}
