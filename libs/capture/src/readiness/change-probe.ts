import type { WindowReader } from './window-reader.js';

/** What has changed in the document. Times are in ms before now. */
export interface Changes {
  /** Time since the content changed; null when no change has been seen. */
  readonly quietMs: number | null;
  /** A text of the window grows a few letters at a time. */
  readonly isTyping: boolean;
  /** When parts of the window were added, each behind the ones before; the latest comes last. */
  readonly arrivals: readonly number[];
}

/** A text that grows a few letters at a time. */
interface Typing {
  readonly since: number;
  at: number;
  /** Time between the last two steps. */
  gapMs: number;
  steps: number;
  /** It has been shortened again: it is a decoration that is typed endlessly. */
  isRepeated: boolean;
}

/** A number that changes in one direction. */
interface Counting {
  readonly since: number;
  at: number;
  value: number;
  /** Change per ms, averaged over the last steps, and the highest one so far. */
  speed: number;
  topSpeed: number;
  steps: number;
}

/**
 * Runs in the page, in the isolated world of `inPage`. Follows the changes of the document, and distinguishes those that end from
 * those that go on endlessly. A page may change any number of times, so that every list is cut.
 */
export class ChangeProbe {
  /** How often the parts of the document have changed, and since when. */
  private readonly changes = new WeakMap<Element, { readonly since: number; count: number }>();
  private readonly typings = new Map<Element, Typing>();
  private readonly countings = new WeakMap<Element, Counting>();
  private arrivals: { readonly at: number; readonly element: Element }[] = [];
  private changedAt = -Infinity;
  private tickedAt = -Infinity;

  constructor(private readonly reader: WindowReader) {}

  /** Begins to follow the document. */
  observe(): void {
    const observer = new MutationObserver((records) => {
      for (const record of records) this.note(record, records.length);
    });
    const all = { subtree: true, childList: true, attributes: true, characterData: true };
    observer.observe(document, { ...all, characterDataOldValue: true });
  }

  get hasChanged(): boolean {
    return this.changedAt !== -Infinity;
  }

  hasChangedSince(at: number): boolean {
    return this.changedAt > at;
  }

  /** Whether a clock, a counter or the like has changed within the last half second. */
  isTicking(now: number): boolean {
    return now - this.tickedAt < 500;
  }

  look(now: number): Changes {
    const isArriving = this.arrivals.some(({ element }) => this.isPart(element));
    return {
      quietMs: this.hasChanged ? now - this.changedAt : null,
      isTyping: [...this.typings].some(([element, typing]) => this.isTyping(element, typing, now)),
      arrivals: isArriving ? this.arrivals.map(({ at }) => now - at) : [],
    };
  }

  /**
   * A page that gets more elements is being built. An element that keeps changing in other ways for 1.5 s is a clock, a
   * counter or an animation, and will never be quiet, unless its text is one that comes to an end.
   *
   * @param together number of changes that a script has made at once
   */
  private note(record: MutationRecord, together: number): void {
    const { target, type, addedNodes, removedNodes } = record;
    const element = target instanceof Element ? target : target.parentElement;
    if (!element || Element.prototype.closest.call(element, 'head, script, style')) return;
    const elementsIn = (list: NodeList): Element[] =>
      Array.prototype.filter.call(list, (node) => node instanceof Element) as Element[];
    const added = elementsIn(addedNodes);
    const grows = type === 'childList' && added.length > elementsIn(removedNodes).length;
    const now = performance.now();
    if (grows) this.noteArrival(record, added[0], now);
    const isText = !grows && type !== 'attributes' && together <= 50;
    const isEnding = isText && this.noteText(element, record, now);
    const known = this.changes.get(element) ?? { since: now, count: 0 };
    known.count += 1;
    this.changes.set(element, known);
    if (grows || isEnding || known.count < 4 || now - known.since < 1_500) this.changedAt = now;
    else this.tickedAt = now;
  }

  /** What is inserted before other elements is news, such as those of a feed. */
  private noteArrival({ nextSibling }: MutationRecord, element: Element | undefined, now: number): void {
    let next = nextSibling;
    for (let count = 0; next && !(next instanceof Element) && count < 10; count += 1) next = next.nextSibling;
    const last = this.arrivals.at(-1)?.at ?? -Infinity;
    // What a script adds at once arrives once.
    if (next || !element || now - last < 50) return;
    this.arrivals = [...this.arrivals.slice(-7), { at: now, element }];
  }

  /** Whether the change is a step of a text that comes to an end: it is typed, or counts up and slows down. */
  private noteText(element: Element, record: MutationRecord, now: number): boolean {
    const [before, after] = this.textsOf(record);
    return this.noteTyping(element, [before, after], now) || this.noteCounting(element, after, now);
  }

  private noteTyping(element: Element, [before, after]: readonly [string, string], now: number): boolean {
    const known = this.typings.get(element);
    if (known && before.length > after.length && before.startsWith(after))
      known.isRepeated ||= known.steps > 1;
    const step = after.length - before.length;
    const isStep = step > 0 && step <= 40 && after.startsWith(before) && /\p{L}/u.test(after);
    // A whole line is one of a log. A text that begins with more than two letters is there at once.
    const isWhole = step > 10 && after.includes('\n', before.length);
    if (!isStep || isWhole || (!known && before === '' && step > 2)) return false;
    // A single letter where there was nothing is the first of many.
    const first = before === '' && step === 1 ? 1 : 0;
    const typing = known ?? { since: now, at: now, gapMs: 0, steps: first, isRepeated: false };
    Object.assign(typing, { steps: typing.steps + 1, gapMs: now - typing.at, at: now });
    if (known || this.typings.size < 50) this.typings.set(element, typing);
    return !typing.isRepeated && now - typing.since < 10_000;
  }

  /** Counters of statistics start fast and slow down for some seconds; live ones go on as they began. */
  private noteCounting(element: Element, text: string, now: number): boolean {
    const isNumber = text.length <= 30 && /^[^\d:]*\d[\d.,\s]*[^\d:]*$/.test(text);
    const value = isNumber ? Number(text.replace(/[^\d]/g, '')) : NaN;
    const known = this.countings.get(element);
    if (!known || !isNumber || value < known.value) {
      this.countings.set(element, { since: now, at: now, value, speed: 0, topSpeed: 0, steps: 0 });
      return false;
    }
    const speed = known.speed * 0.8 + ((value - known.value) / Math.max(1, now - known.at)) * 0.2;
    Object.assign(known, {
      at: now,
      value,
      speed,
      topSpeed: Math.max(known.topSpeed, speed),
      steps: known.steps + 1,
    });
    return known.steps > 10 && speed < known.topSpeed * 0.5 && now - known.since < 4_000;
  }

  /** The text of an element before a change and after it, as far as a text that is typed goes. */
  private textsOf({
    type,
    target,
    oldValue,
    addedNodes,
    removedNodes,
    previousSibling,
  }: MutationRecord): [string, string] {
    const cut = (text: string): string => text.slice(0, 10_000);
    if (type === 'characterData') return [cut(oldValue ?? ''), cut((target as Text).data)];
    const textIn = (list: readonly Node[]): string =>
      list.length > 3 ? '' : cut(list.map((node) => this.reader.safe(node).textContent ?? '').join(''));
    const [added, removed] = [addedNodes, removedNodes].map((list) =>
      textIn(Array.prototype.slice.call(list, 0, 4)),
    );
    // A node that is appended goes on with the text before it.
    const start = removed === '' && previousSibling instanceof Text ? cut(previousSibling.data) : '';
    return [start + removed, start + added];
  }

  private isTyping(element: Element, { since, at, gapMs, steps, isRepeated }: Typing, now: number): boolean {
    const isNextDue = now - at < Math.min(500, Math.max(200, gapMs * 2.5));
    // One step alone may be any change of a text.
    const isTyped = steps > 1 && !isRepeated && now - since < 10_000;
    return isTyped && isNextDue && this.reader.isVisible(element, 1);
  }

  /** Whether the window shows an element, and not as a line of a box that scrolls. */
  private isPart(element: Element): boolean {
    if (!this.reader.isVisible(element, 400)) return false;
    const { body, documentElement } = this.reader.safe(document);
    let box = this.reader.safe(element).parentElement;
    for (let depth = 0; box && box !== body && box !== documentElement && depth < 4; depth += 1) {
      const { scrollHeight, clientHeight, parentElement } = this.reader.safe(box);
      if (scrollHeight > clientHeight + 4 && getComputedStyle(box).overflowY !== 'visible') return false;
      box = parentElement;
    }
    return true;
  }
}
