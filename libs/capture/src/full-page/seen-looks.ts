import type { OwnRules } from './own-rules.js';
import type { Look, LookReader } from './look-reader.js';
import type { PageBoxes } from './page-boxes.js';
import type { Stages } from './stages.js';
import type { WatchedChanges } from './watched-changes.js';

/** How an element looked in the window, nearest to its middle. */
interface Seen {
  /** The looks of the element, its `::before` and its `::after`. */
  readonly looks: readonly Look[];
  /** Distance of its middle from that of the window in CSS px. */
  readonly distance: number;
  /** A script was still changing it. */
  readonly isMoving: boolean;
  /** Its box on the page in CSS px. */
  readonly box: {
    readonly left: number;
    readonly top: number;
    readonly width: number;
    readonly height: number;
  };
  /** The elements around it, the innermost first. */
  readonly around: readonly Element[];
  /** The picture that it showed. */
  readonly source: string;
  /** The numbers of the looks at the page that found it shown. */
  readonly shownIn: Set<number>;
}

/** What the page does not show any more, or not yet, although it was in the window. */
export interface Unseen {
  /** Number of elements that the page has removed, or does not display. */
  readonly gone: number;
  /** The middles of elements that are hidden in their place, in CSS px from the top of the page. */
  readonly hidden: readonly number[];
  /** Whether scrolling plays something in a box that stays in the window. */
  readonly hasStage: boolean;
}

/** What `SeenLooks` is made of. */
interface Parts {
  readonly boxes: PageBoxes;
  readonly reader: LookReader;
  readonly stages: Stages;
  readonly changes: WatchedChanges;
}

/**
 * Runs in the page, in the isolated world of `inPage`. Follows what the page changes while it is walked through, such as sections
 * that appear when they come into the window, and how that looked there, so that it can be held when the page hides it again.
 *
 * It looks only at what changes: a page that does not react to scrolling costs next to nothing.
 */
export class SeenLooks {
  private readonly boxes: PageBoxes;
  private readonly reader: LookReader;
  private readonly stages: Stages;
  private readonly changes: WatchedChanges;
  private readonly seen = new Map<Element, Seen>();
  private looks = 0;
  /** Whether the looks of elements change as the page is scrolled. */
  isReactive: boolean;

  constructor({ boxes, reader, stages, changes }: Parts) {
    this.boxes = boxes;
    this.reader = reader;
    this.stages = stages;
    this.changes = changes;
    this.isReactive = changes.start();
  }

  /**
   * Notes how the changed elements in the window look, after it has ended the short animations among them.
   *
   * @param isGrown whether the window shows all of the page: then only what has not been seen before counts
   */
  look(isGrown = false): void {
    this.changes.endEntrances();
    const elements = this.changes.inWindow();
    this.looks += 1;
    for (const element of elements) this.lookAt(element, isGrown);
  }

  /** Whether a script is still changing something in the window, frame by frame. */
  isMoving(): boolean {
    return [...this.changes.inWindow()].some((element) => this.changes.isChanging(element));
  }

  endEntrances(): void {
    this.changes.endEntrances();
  }

  stop(): void {
    this.changes.stop();
  }

  has(element: Element): boolean {
    return this.seen.has(element);
  }

  /**
   * Holds what looks different now than in the window, by rules that win against the styles of the page.
   *
   * @param isLast whether what was never shown in full is held as far as it was shown
   */
  hold(rules: OwnRules, isLast: boolean): Unseen {
    if (this.stages.isFound) return { gone: 0, hidden: [], hasStage: true };
    const held: [element: Element, styles: Record<string, string>, pseudo: string][] = [];
    const hidden: Seen[] = [];
    const families = Map.groupBy(this.seen.keys(), (element) => this.boxes.parentOf(element));
    let gone = 0;
    for (const [element, seen] of this.seen) {
      const isLarge = seen.box.width * seen.box.height >= 2_500;
      const isSettled = !seen.isMoving && this.isShown(seen);
      const isShown = this.reader.isShown(this.reader.lookOf(element));
      const isGone = this.isGone(element, seen);
      if (isGone) gone += isLarge ? 1 : 0;
      else if (!element.isConnected || this.isAlternate(element, families)) continue;
      else if (isSettled) held.push(...this.differences(element, seen));
      else if (isShown) continue;
      else if (isLast) held.push(...this.differences(element, seen));
      else if (isLarge && this.boxes.isInFlow(element)) hidden.push(seen);
    }
    for (const [element, styles, pseudo] of held) rules.set(element, styles, pseudo);
    const middles = hidden.map(({ box: { top, height } }) => Math.round(top + height / 2));
    return { gone, hidden: middles, hasStage: false };
  }

  private lookAt(element: Element, isGrown: boolean): void {
    const looks = this.reader.looksOf(element);
    const isShown = this.reader.isShown(looks[0] ?? []);
    const pin = this.boxes.pinOf(element);
    if (pin?.isLarge && !isGrown) this.stages.look(element, pin.element, isShown);
    if (!this.boxes.isPinned(element)) this.see(element, looks, isGrown);
  }

  private see(element: Element, looks: readonly Look[], isGrown: boolean): void {
    const known = this.seen.get(element);
    const { left, top, width, height } = this.boxes.boxOf(element);
    const [own = []] = looks;
    const isShown = this.reader.isShown(own);
    const shownIn = known?.shownIn ?? new Set<number>();
    if (isShown) shownIn.add(this.looks);
    if (!isShown || (known && known.looks.join('|') !== looks.join('|'))) this.isReactive = true;
    const distance = isGrown ? Infinity : Math.abs(top + height / 2 - innerHeight / 2);
    if (known && !this.isBetter({ own, distance, isGrown }, known)) return;
    const around: Element[] = [];
    for (
      let each = this.boxes.parentOf(element);
      each && around.length < 30;
      each = this.boxes.parentOf(each)
    ) {
      around.push(each);
    }
    this.seen.set(element, {
      looks,
      distance,
      around,
      shownIn,
      isMoving: this.changes.isChanging(element),
      source: this.sourceOf(element),
      box: { left: left + scrollX, top: top + scrollY, width, height },
    });
  }

  private isBetter(
    { own, distance, isGrown }: { own: Look; distance: number; isGrown: boolean },
    { looks: [known = []], distance: knownDistance }: Seen,
  ): boolean {
    if (this.reader.isBetter(own, known)) return true;
    return !isGrown && distance <= knownDistance && !this.reader.isBetter(known, own);
  }

  private isShown({ looks: [own = []] }: Seen): boolean {
    return this.reader.isShown(own);
  }

  private sourceOf(element: Element): string {
    return element instanceof HTMLImageElement ? element.currentSrc : '';
  }

  /** Whether nothing is displayed where the element was. */
  private isGone(element: Element, { box, around, source }: Seen): boolean {
    const isDisplayed = element.isConnected && Element.prototype.getClientRects.call(element).length > 0;
    if (isDisplayed) return source !== '' && this.sourceOf(element) === '';
    const [x, y] = [box.left + box.width / 2 - scrollX, box.top + box.height / 2 - scrollY];
    const isInPlace = (each: Element): boolean => {
      const { left, right, top, bottom } = this.boxes.boxOf(each);
      return left <= x && x <= right && top <= y && y <= bottom;
    };
    // The space that it took up may be closed, or taken up by something else.
    const outer = around.find((each) => each.isConnected);
    return outer !== undefined && isInPlace(outer) && !this.boxes.childrenOf(outer).some(isInPlace);
  }

  /**
   * Whether the element takes turns with another one in its place, which is the one to be seen now, or was seen before: both together
   * would cover each other.
   */
  private isAlternate(element: Element, families: ReadonlyMap<Element | null, readonly Element[]>): boolean {
    const own = this.seen.get(element);
    const isHidden = !this.reader.isShown(this.reader.lookOf(element));
    if (!own || !isHidden || own.shownIn.size === 0) return false;
    const box = this.boxes.boxOf(element);
    const others = families.get(this.boxes.parentOf(element)) ?? [];
    const at = others.indexOf(element);
    return others.slice(0, 200).some((other, i) => {
      const shownIn = this.seen.get(other)?.shownIn ?? new Set<number>();
      const isFirst = i < at || this.reader.isShown(this.reader.lookOf(other));
      const takesTurns =
        other !== element && shownIn.size > 0 && ![...shownIn].some((look) => own.shownIn.has(look));
      return takesTurns && isFirst && this.boxes.overlap(box, this.boxes.boxOf(other));
    });
  }

  private differences(
    element: Element,
    { looks, box }: Seen,
  ): [element: Element, styles: Record<string, string>, pseudo: string][] {
    // What is higher than the window has no one place in it.
    const isPlaced = box.height <= 1.5 * innerHeight;
    return ['', '::before', '::after'].flatMap((pseudo, i) => {
      const styles = this.reader.difference(this.reader.lookOf(element, pseudo), looks[i] ?? [], isPlaced);
      return styles ? [[element, styles, pseudo]] : [];
    });
  }
}
