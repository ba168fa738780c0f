import type { SafeAccess } from '../../pipeline/in-page.js';
import type { OpenText, PageCollector, ReadLimits } from './page-collector.js';
import type { WordCounter } from './word-counter.js';

/** An element whose children are visited. */
interface Cursor {
  readonly element: Element | null;
  /** The next child, whose siblings follow, or what else is assigned to a slot. */
  next: Node | null;
  readonly assigned: Node[] | null;
  /** Whether the element has a box, and whether its text is visible. */
  readonly isRendered: boolean;
  readonly isSeen: boolean;
  /** Words continue across its edges. */
  readonly isInline: boolean;
  /** Set for a heading or link. */
  readonly open: OpenText | null;
}

type Visibility = Pick<Cursor, 'isRendered' | 'isSeen'>;

/**
 * Runs in the page: visits the elements and texts of the document and of open shadow roots, in the order in which they are
 * displayed, and collects what they say and the number of their words.
 */
export class PageWalk {
  /** What these show is not their content. The head is read elsewhere. */
  private readonly unread = new Set(
    'head script style template textarea select iframe video audio canvas'.split(' '),
  );
  private readonly inline = new Set(
    'a abbr b bdi bdo cite code data del dfn em font i ins kbd label mark q s samp slot small span strong sub sup time tt u var wbr'.split(
      ' ',
    ),
  );
  private nodes = 0;

  /** @param until when to stop, as `performance.now()` counts */
  constructor(
    private readonly limits: ReadLimits,
    private readonly safe: SafeAccess,
    private readonly into: {
      readonly collector: PageCollector;
      readonly words: WordCounter;
      readonly until: number;
    },
  ) {}

  visit(root: Node): void {
    const start = { element: null, assigned: null, open: null };
    const stack: Cursor[] = [{ ...start, next: root, isRendered: true, isSeen: true, isInline: false }];
    for (let cursor = stack.at(-1); cursor; cursor = stack.at(-1)) {
      const node = cursor.next;
      if (!node) {
        stack.pop();
        this.leave(cursor);
        continue;
      }
      cursor.next = cursor.assigned ? (cursor.assigned.pop() ?? null) : this.nodeOf(node).nextSibling;
      if (this.isOver()) cursor.next = null;
      else if (node instanceof Text) this.visitText(node, cursor);
      else if (node instanceof Element) this.visitElement(node, stack, cursor);
    }
  }

  private visitElement(element: Element, stack: Cursor[], outer: Cursor): void {
    const inner = this.enter(element, outer);
    if (!inner) return;
    stack.push(inner);
    if (stack.length <= this.limits.depth) return;
    inner.next = null;
    this.into.collector.cutAll();
  }

  private visitText(node: Text, { isRendered, isSeen, element }: Cursor): void {
    const { collector, words } = this.into;
    if (!isSeen && !collector.isTextOpen) return;
    const { length } = node;
    const chunk = 10_000;
    for (let at = 0; at < length && !this.isOver(); at += chunk) {
      const text = node.substringData(at, chunk);
      collector.addText(text, isRendered);
      if (isSeen) words.add(text);
    }
    if (isSeen && element && /\S/.test(node.substringData(0, 200))) collector.addFamily(element, length);
  }

  private isOver(): boolean {
    this.nodes += 1;
    const isOver =
      this.nodes > this.limits.nodes || (this.nodes % 64 === 0 && performance.now() > this.into.until);
    if (!isOver) return false;
    this.nodes = Infinity;
    this.into.collector.cutAll();
    return true;
  }

  /** Only a form shadows the properties of its nodes, and `safe` is too slow for every node of a page. */
  private nodeOf<T extends Node>(node: T): T {
    return node instanceof HTMLFormElement ? this.safe(node) : node;
  }

  private enter(element: Element, outer: Cursor): Cursor | null {
    const own = this.nodeOf(element);
    const name = own.localName;
    if (this.unread.has(name)) return null;
    const visibility = this.visibilityOf(element, outer);
    // With JavaScript, its content is one text of HTML.
    if (name === 'noscript' && !visibility.isRendered) return null;
    const isInline = this.inline.has(name);
    if (!isInline) this.breakText(visibility.isSeen);
    if (name === 'img' || name === 'input') this.into.collector.addImage(element, visibility.isRendered);
    const slotted = element instanceof HTMLSlotElement ? element.assignedNodes().reverse() : [];
    const first = slotted.pop();
    return {
      element,
      next: first ?? (own.shadowRoot ?? own).firstChild,
      assigned: first ? slotted : null,
      ...visibility,
      isInline,
      open: this.opened(element, name, visibility),
    };
  }

  private leave({ isInline, isSeen, open }: Cursor): void {
    if (!isInline) this.breakText(isSeen);
    if (open) this.into.collector.end(open);
  }

  private breakText(isSeen: boolean): void {
    if (isSeen) this.into.words.break();
    this.into.collector.addText(' ', true);
  }

  private visibilityOf(element: Element, outer: Cursor): Visibility {
    if (!outer.isRendered) return { isRendered: false, isSeen: false };
    const own = this.nodeOf(element);
    if (own.checkVisibility({ visibilityProperty: true })) return { isRendered: true, isSeen: true };
    const { display, visibility } = getComputedStyle(element);
    const isRendered = display === 'contents' || own.checkVisibility();
    return { isRendered, isSeen: isRendered && visibility === 'visible' };
  }

  /** Headings are collected when they are displayed, links always. */
  private opened(element: Element, name: string, { isRendered, isSeen }: Visibility): OpenText | null {
    const isLink =
      element instanceof HTMLAnchorElement ||
      element instanceof HTMLAreaElement ||
      element instanceof SVGAElement;
    if (isLink) return this.into.collector.startLink(element, isRendered);
    const level = isSeen ? this.headingLevel(element, name) : 0;
    return level === 0 ? null : this.into.collector.startHeading(level);
  }

  private headingLevel(element: Element, name: string): number {
    if (element instanceof HTMLHeadingElement) return Number(name.slice(1));
    const own = this.nodeOf(element);
    if (own.getAttribute('role') !== 'heading') return 0;
    // The level that the specification assumes.
    return Number(own.getAttribute('aria-level') ?? 2);
  }
}
