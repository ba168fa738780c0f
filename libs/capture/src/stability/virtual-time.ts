/*
 * The parts of the script that gives a page virtual time. They run in the page, in its own world and before its scripts, and
 * are sent there one by one, so each sees only its arguments and the browser. Scripts of the page may replace any function of
 * the browser later; what is needed then is kept, and arrays are only indexed.
 */

/** What is due at a virtual time. */
export interface Timer {
  readonly id: number;
  readonly run: (now: number) => void;
  due: number;
  /** Timers that are due at the same time run in this order. */
  order: number;
  /** The period of an interval. */
  readonly everyMs: number | undefined;
  /** How many timers set each other up to this one; browsers delay deep ones by at least 4 ms. */
  readonly depth: number;
}

/** A binary heap: a page may have any number of timers. */
export class TimerQueue {
  private readonly heap: Timer[] = [];
  private size = 0;

  push(timer: Timer): void {
    let i = this.size;
    this.heap[i] = timer;
    this.size += 1;
    for (let up = (i - 1) >> 1; i > 0 && this.isBefore(i, up); up = (i - 1) >> 1) {
      this.swap(i, up);
      i = up;
    }
  }

  first(): Timer | undefined {
    return this.size > 0 ? this.heap[0] : undefined;
  }

  pop(): void {
    this.size -= 1;
    this.swap(0, this.size);
    this.heap.length = this.size;
    for (let i = 0, least = 0; ; i = least) {
      for (let child = 2 * i + 1; child <= 2 * i + 2; child += 1) {
        if (child < this.size && this.isBefore(child, least)) least = child;
      }
      if (least === i) return;
      this.swap(i, least);
    }
  }

  private timerAt(i: number): Timer {
    return this.heap[i] as Timer;
  }

  private isBefore(i: number, j: number): boolean {
    const one = this.timerAt(i);
    const other = this.timerAt(j);
    return one.due < other.due || (one.due === other.due && one.order < other.order);
  }

  private swap(i: number, j: number): void {
    const kept = this.timerAt(i);
    this.heap[i] = this.timerAt(j);
    this.heap[j] = kept;
  }
}

/**
 * Time stands still, save for timers without a delay, until `pass` or `reach`. Then it jumps from timer to timer; each runs as a task of
 * its own, with everything that promises have to do in between.
 */
export class VirtualTime {
  private readonly timers = Object.create(null) as Record<number, Timer | undefined>;
  private readonly wake: () => void;
  private isAwake = false;
  private limit = 0;
  private reads = 0;
  private ids = 0;
  /** In ms since the document began. */
  now = 0;
  /** How many timers set each other up to the code that runs now. */
  depth = 0;

  constructor(
    private readonly queue: TimerQueue,
    private readonly busyReads: number,
  ) {
    const { port1, port2 } = new MessageChannel();
    const post = port2.postMessage.bind(port2);
    port1.onmessage = () => {
      this.isAwake = false;
      this.runNext();
    };
    this.wake = () => {
      if (!this.isAwake) post(0);
      this.isAwake = true;
    };
  }

  /** The time for a script, which passes while it reads the time in a loop. */
  read(): number {
    this.reads += 1;
    if (this.reads > this.busyReads) this.now += 0.1;
    return this.now;
  }

  /** Returns the id of the timer. */
  schedule(run: Timer['run'], due: number, everyMs?: number): number {
    const id = (this.ids += 1);
    const timer: Timer = { id, run, due, order: id, everyMs, depth: this.depth + 1 };
    this.timers[id] = timer;
    this.queue.push(timer);
    if (due <= this.limit || due <= this.now) this.wake();
    return id;
  }

  cancel(id: number): void {
    this.timers[id] = undefined;
  }

  /** Whether a timer is due up to `to`. */
  hasWork(to: number): boolean {
    return this.next(to) !== undefined;
  }

  /** Lets so much time pass, and the timers run that are due. */
  pass(ms: number): void {
    this.reach((this.limit > this.now ? this.limit : this.now) + ms);
  }

  /** Lets the time pass up to `to`. Returns whether it has arrived, with all timers that are due. */
  reach(to: number): boolean {
    this.reads = 0;
    if (to > this.limit) this.limit = to;
    if (this.next(this.limit)) this.wake();
    else this.rest();
    return this.now >= this.limit && !this.isAwake;
  }

  private next(to: number): Timer | undefined {
    let first = this.queue.first();
    for (; first && this.timers[first.id] !== first; first = this.queue.first()) this.queue.pop();
    return first && first.due <= to ? first : undefined;
  }

  /** Nothing is left to do up to the limit. */
  private rest(): void {
    if (this.limit > this.now) this.now = this.limit;
  }

  private runNext(): void {
    const timer = this.next(this.limit > this.now ? this.limit : this.now);
    if (!timer) return this.rest();
    this.queue.pop();
    if (timer.due > this.now) this.now = timer.due;
    this.reads = 0;
    if (timer.everyMs === undefined) this.timers[timer.id] = undefined;
    else {
      timer.due = this.now + timer.everyMs;
      timer.order = this.ids += 1;
      this.queue.push(timer);
    }
    // Before the code of the page, which may throw.
    this.wake();
    this.depth = timer.depth;
    try {
      timer.run(this.now);
    } finally {
      this.depth = 0;
    }
  }
}
