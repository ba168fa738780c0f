/*
 * The parts of the script that lets the time of a page pass faster than real time. They run in the page, in its own world and
 * before its scripts, and are sent there one by one, so each sees only its arguments, the others and the browser. Scripts of
 * the page may replace any function of the browser later; what is needed then is kept.
 */

export type Native = (...args: unknown[]) => unknown;

/** What waits, by its number, out of reach of a page that changes the methods of maps. */
export class Waiting<T> {
  readonly add: (id: number, item: T) => unknown;
  readonly drop: (id: number) => boolean;
  readonly get: (id: number) => T | undefined;
  readonly each: (look: (item: T, id: number) => void) => void;
  readonly count: () => number;

  constructor() {
    const map = new Map<number, T>();
    this.add = map.set.bind(map);
    this.drop = map.delete.bind(map);
    this.get = map.get.bind(map);
    this.each = map.forEach.bind(map);
    const size = Object.getOwnPropertyDescriptor(Map.prototype, 'size') as { get: () => number };
    this.count = size.get.bind(map);
  }
}

/** The time of the page in ms: real time, and what has passed besides. It never goes back. */
export class PageClock {
  ahead = 0;
  private readonly real = performance.now.bind(performance);

  now(): number {
    return this.real() + this.ahead;
  }

  advanceTo(at: number): void {
    const left = at - this.now();
    if (left > 0) this.ahead += left;
  }
}

/** The callbacks of frames that a page has requested. The browser calls them back, unless `run` does so before. */
export class PageFrames {
  readonly waiting = new Waiting<Native>();
  isHeld = false;
  private at = 0;
  private readonly plain = requestAnimationFrame.bind(globalThis);
  private readonly plainCancel = cancelAnimationFrame.bind(globalThis);

  constructor(private readonly clock: PageClock) {}

  request(native: Native, callback: Native): number {
    const id = native((at: unknown) => {
      this.run(id, (at as number) + this.clock.ahead);
    }) as number;
    this.waiting.add(id, callback);
    return id;
  }

  run(id: number, at: number): void {
    const callback = this.waiting.get(id);
    if (!callback || this.isHeld) return;
    this.waiting.drop(id);
    // The browser states the start of a frame, which the time that has been given to another frame may have passed.
    if (at > this.at) this.at = at;
    callback(this.at);
  }

  /** Calls back before the browser does. */
  runAhead(id: number): void {
    this.plainCancel(id);
    this.run(id, this.clock.now());
  }

  release(): void {
    this.isHeld = false;
    this.waiting.each((_, id) => {
      this.plain((at) => {
        this.run(id, at + this.clock.ahead);
      });
    });
  }
}

export interface PageTimer {
  /** What the browser calls it by now. */
  nativeId: number;
  readonly run: () => void;
  /** In the time of the page. */
  due: number;
  /** The period of an interval. */
  readonly everyMs: number | undefined;
}

/** The timers that a page has set. The browser fires them, unless `run` does so before. */
export class PageTimers {
  readonly waiting = new Waiting<PageTimer>();
  isHeld = false;
  private readonly plain = setTimeout.bind(globalThis);
  private readonly plainClear = clearTimeout.bind(globalThis);

  constructor(private readonly clock: PageClock) {}

  set(
    start: (fire: () => void) => number,
    timer: Pick<PageTimer, 'run' | 'everyMs'>,
    delayMs: number,
  ): number {
    const id = start(() => {
      this.fire(id);
    });
    this.waiting.add(id, {
      nativeId: id,
      run: timer.run,
      due: this.clock.now() + delayMs,
      everyMs: timer.everyMs,
    });
    return id;
  }

  clear(id: number): void {
    const timer = this.waiting.get(id);
    if (timer && timer.nativeId !== id) this.plainClear(timer.nativeId);
    this.waiting.drop(id);
  }

  run(id: number): void {
    const timer = this.waiting.get(id);
    if (!timer || this.isHeld) return;
    if (timer.everyMs === undefined) this.waiting.drop(id);
    else timer.due = this.clock.now() + timer.everyMs;
    timer.run();
  }

  /** Runs a timer before the browser does. */
  runAhead(id: number): void {
    const timer = this.waiting.get(id);
    if (timer && timer.everyMs === undefined) this.plainClear(timer.nativeId);
    this.run(id);
  }

  /** Whether an interval is as short as a frame: scripts draw by it. */
  areFrames(): boolean {
    let areSome = false;
    this.waiting.each(({ everyMs }) => {
      if (everyMs !== undefined && everyMs <= 40) areSome = true;
    });
    return areSome;
  }

  /** Whether a timer that does not repeat is due within so many ms. */
  isDue(withinMs: number): boolean {
    const until = this.clock.now() + withinMs;
    let isFound = false;
    this.waiting.each(({ due, everyMs }) => {
      if (everyMs === undefined && due <= until) isFound = true;
    });
    return isFound;
  }

  first(): [number, PageTimer] | undefined {
    let first: [number, PageTimer] | undefined;
    this.waiting.each((timer, id) => {
      if (!first || timer.due < first[1].due) first = [id, timer];
    });
    return first;
  }

  /** The browser fires the timers that wait when they are due in the time of the page. */
  arm(): void {
    this.isHeld = false;
    this.waiting.each((timer, id) => {
      this.armOne(id, timer);
    });
  }

  private armOne(id: number, timer: PageTimer): void {
    const left = timer.due - this.clock.now();
    this.plainClear(timer.nativeId);
    timer.nativeId = this.plain(
      () => {
        this.fire(id);
      },
      left > 0 ? left : 0,
    ) as unknown as number;
  }

  private fire(id: number): void {
    const timer = this.waiting.get(id);
    if (!timer || this.isHeld) return;
    const isInterval = timer.everyMs !== undefined;
    // An interval that has run ahead of real time is not due yet.
    const isDue = !isInterval || this.clock.ahead === 0 || timer.due <= this.clock.now() + 1;
    const isArmed = timer.nativeId !== id;
    try {
      if (isDue) this.run(id);
    } finally {
      if (isInterval && isArmed && this.waiting.get(id) === timer) this.armOne(id, timer);
    }
  }
}
