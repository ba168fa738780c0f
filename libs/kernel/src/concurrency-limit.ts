import { unlessAborted } from './timeout.js';

/** Limits how many calls run at once. The others wait in the order in which they came. */
export class ConcurrencyLimit {
  private free: number;
  private readonly waiting: (() => void)[] = [];

  constructor(max: number) {
    this.free = max;
  }

  /** @throws the reason of `signal` when it aborts before the work begins */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.free > 0) this.free -= 1;
    else await this.wait(signal);
    try {
      signal?.throwIfAborted();
      return await work();
    } finally {
      this.release();
    }
  }

  private async wait(signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.waiting.push(resolve);
    if (!signal) return promise;
    try {
      await unlessAborted(promise, signal);
    } catch (reason) {
      const at = this.waiting.indexOf(resolve);
      if (at !== -1) this.waiting.splice(at, 1);
      // Its turn came at the moment of the abort.
      else this.release();
      throw reason;
    }
  }

  private release(): void {
    const next = this.waiting.shift();
    if (next) next();
    else this.free += 1;
  }
}
