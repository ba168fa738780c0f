/**
 * The parts of the script that gives a page virtual time. Each function runs in the page, in its own world and before its
 * scripts, so it stands alone: it sees its arguments and the browser, and nothing else of this file. Scripts of the page may
 * replace any function of the browser later; what is needed then is kept here, and arrays are only indexed.
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

export interface TimerQueue {
  push(timer: Timer): void;
  first(): Timer | undefined;
  pop(): void;
  /** Delays all timers. */
  shift(ms: number): void;
}

/** Runs in the page. A binary heap: a page may have any number of timers. */
export function createQueue(): TimerQueue {
  const heap: Timer[] = [];
  let size = 0;
  const at = (i: number): Timer => heap[i] as Timer;
  const isBefore = (i: number, j: number): boolean =>
    at(i).due < at(j).due || (at(i).due === at(j).due && at(i).order < at(j).order);
  const swap = (i: number, j: number): void => {
    const kept = at(i);
    heap[i] = at(j);
    heap[j] = kept;
  };
  return {
    push: (timer) => {
      let i = size;
      heap[i] = timer;
      size += 1;
      for (let up = (i - 1) >> 1; i > 0 && isBefore(i, up); up = (i - 1) >> 1) {
        swap(i, up);
        i = up;
      }
    },
    first: () => (size > 0 ? at(0) : undefined),
    pop: () => {
      size -= 1;
      swap(0, size);
      heap.length = size;
      for (let i = 0, least = 0; ; i = least) {
        for (let child = 2 * i + 1; child <= 2 * i + 2; child += 1) {
          if (child < size && isBefore(child, least)) least = child;
        }
        if (least === i) return;
        swap(i, least);
      }
    },
    shift: (ms) => {
      for (let i = 0; i < size; i += 1) at(i).due += ms;
    },
  };
}

export interface VirtualTime {
  /** The virtual time in ms, for the page. Reading it in a loop that waits for a later time lets it pass. */
  read(): number;
  now(): number;
  /** Returns the id of the timer. */
  schedule(run: (now: number) => void, due: number, everyMs?: number): number;
  cancel(id: number): void;
  /** How many timers set each other up to the code that runs now. */
  depth(): number;
  /** Whether a timer is due up to `to`. */
  hasWork(to: number): boolean;
  /** Lets the time pass up to `to`, and the timers run that are due. Returns whether it has arrived. */
  advance(from: number, to: number): boolean;
}

/**
 * Runs in the page. Time stands still, save for timers without a delay, until `advance`. Then it jumps from timer to timer; each
 * runs as a task of its own, with everything that promises have to do in between.
 */
export function createTime(queue: TimerQueue, busyReads: number): VirtualTime {
  const timers = Object.create(null) as Record<number, Timer | undefined>;
  const { port1, port2 } = new MessageChannel();
  const post = port2.postMessage.bind(port2);
  let [now, limit, reads, ids, depth] = [0, 0, 0, 0, 0];
  let [isAwake, isJoined] = [false, false];
  const wake = (): void => {
    if (!isAwake) post(0);
    isAwake = true;
  };
  const next = (to: number): Timer | undefined => {
    let first = queue.first();
    for (; first && timers[first.id] !== first; first = queue.first()) queue.pop();
    return first && first.due <= to ? first : undefined;
  };
  const rest = (): void => {
    if (limit > now) now = limit;
  };
  const start = (timer: Timer): void => {
    queue.pop();
    if (timer.due > now) now = timer.due;
    reads = 0;
    if (timer.everyMs === undefined) timers[timer.id] = undefined;
    else {
      timer.due = now + timer.everyMs;
      timer.order = ids += 1;
      queue.push(timer);
    }
    // Before the code of the page, which may throw.
    wake();
    depth = timer.depth;
    timer.run(now);
  };
  port1.onmessage = () => {
    isAwake = false;
    const timer = next(limit);
    if (!timer) return rest();
    try {
      start(timer);
    } finally {
      depth = 0;
    }
  };
  return {
    read: () => {
      reads += 1;
      // The page waits in a loop, or measures something very often.
      if (reads > busyReads) now += 0.1;
      return now;
    },
    now: () => now,
    schedule: (run, due, everyMs) => {
      const id = (ids += 1);
      const timer: Timer = { id, run, due, order: id, everyMs, depth: depth + 1 };
      timers[id] = timer;
      queue.push(timer);
      if (due <= limit || due <= now) wake();
      return id;
    },
    cancel: (id) => {
      timers[id] = undefined;
    },
    depth: () => depth,
    hasWork: (to) => next(to) !== undefined,
    advance: (from, to) => {
      if (!isJoined && from > now) {
        // A document that came later: its timers are as far ahead as they were.
        queue.shift(from - now);
        now = from;
      }
      isJoined = true;
      reads = 0;
      if (to > limit) limit = to;
      if (next(limit)) wake();
      else rest();
      return now >= limit && !isAwake;
    },
  };
}
