import type { PageClock, PageFrames, PageTimers } from './page-time.js';

/** Runs in the page, like the classes of page-time.ts. Lets its time pass from callback to callback, each in a task of its own. */
export class PageRush {
  isPassing = false;
  private until = 0;
  private done: () => void = () => undefined;
  private frameDue = 0;
  private frameBegan = 0;
  private stepMs: number;
  /** The callbacks of the frame that is under way. */
  private batch: number[] = [];
  private next = 0;
  private post?: () => void;
  /** A channel is expensive, and most pages never need one. */
  private readonly open: (run: () => void) => () => void;

  constructor(
    private readonly clock: PageClock,
    private readonly parts: { readonly frames: PageFrames; readonly timers: PageTimers },
    private readonly steps: { readonly ms: number; readonly longMs: number; readonly maxCostMs: number },
  ) {
    this.stepMs = steps.ms;
    const { apply, getOwnPropertyDescriptor } = Reflect;
    const Channel = MessageChannel;
    const postMessage = getOwnPropertyDescriptor(MessagePort.prototype, 'postMessage')?.value as () => void;
    const onMessage = getOwnPropertyDescriptor(MessagePort.prototype, 'onmessage')?.set as () => void;
    this.open = (run) => {
      const { port1, port2 } = new Channel();
      apply(onMessage, port1, [run]);
      return () => {
        apply(postMessage, port2, [0]);
      };
    };
  }

  /** Whether the page has got fewer frames than on a fast machine. */
  get isCoarse(): boolean {
    return this.stepMs === this.steps.longMs;
  }

  pass(ms: number, done: () => void): void {
    this.post ??= this.open(() => {
      this.runNext();
    });
    this.until = this.clock.now() + ms;
    this.done = done;
    this.isPassing = true;
    this.post();
  }

  private runNext(): void {
    const task = this.nextTask();
    if (!task) {
      this.clock.advanceTo(this.until);
      this.isPassing = false;
      this.done();
      return;
    }
    // Before the code of the page, which may throw.
    this.post?.();
    task();
  }

  private nextTask(): (() => void) | undefined {
    const { clock } = this;
    const { frames, timers } = this.parts;
    // Real time counts as well, so that a page with any number of timers takes no longer.
    if (clock.now() > this.until) return undefined;
    if (this.next < this.batch.length) {
      const id = this.batch[this.next] as number;
      this.next += 1;
      return () => {
        frames.runAhead(id);
      };
    }
    this.endFrame();
    const [id, timer] = timers.first() ?? [0, undefined];
    const frameAt = frames.waiting.count() > 0 ? this.frameDue : Infinity;
    const timerAt = timer?.due ?? Infinity;
    const at = timerAt < frameAt ? timerAt : frameAt;
    if (at > this.until) return undefined;
    clock.advanceTo(at);
    if (timerAt <= frameAt) {
      return () => {
        timers.runAhead(id);
      };
    }
    this.beginFrame();
    return () => undefined;
  }

  private beginFrame(): void {
    const batch: number[] = [];
    this.parts.frames.waiting.each((_, id) => {
      batch[batch.length] = id;
    });
    this.batch = batch;
    this.next = 0;
    this.frameBegan = this.clock.now();
  }

  /** A page whose frames are expensive gets fewer of them, as on a slow machine. */
  private endFrame(): void {
    if (this.batch.length === 0) return;
    this.batch = [];
    const cost = this.clock.now() - this.frameBegan;
    if (cost > this.steps.maxCostMs) this.stepMs = this.steps.longMs;
    this.frameDue = this.frameBegan + this.stepMs;
  }
}
