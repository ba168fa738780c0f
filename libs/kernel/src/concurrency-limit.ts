import { unlessAborted } from './timeout.js';

/**
 * Limits how many calls run at once. The others wait in the order in which they came, or take turns by whom they belong to:
 * one with many calls does not delay the first one of another.
 */
export class ConcurrencyLimit {
  private free: number;
  /** Those that wait, by their owner; the owner whose turn is next comes first. */
  private readonly waiting = new Map<string, (() => void)[]>();

  constructor(max: number) {
    this.free = max;
  }

  /**
   * @param owner whom the call belongs to, such as an account
   * @throws the reason of `signal` when it aborts before the work begins
   */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal, owner = ''): Promise<T> {
    if (this.free > 0) this.free -= 1;
    else await this.wait(signal, owner);
    try {
      signal?.throwIfAborted();
      return await work();
    } finally {
      this.release();
    }
  }

  private async wait(signal: AbortSignal | undefined, owner: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const calls = this.waiting.get(owner);
    if (calls) calls.push(resolve);
    else this.waiting.set(owner, [resolve]);
    if (!signal) return promise;
    try {
      await unlessAborted(promise, signal);
    } catch (reason) {
      // Otherwise its turn came at the moment of the abort.
      if (!this.leave(owner, resolve)) this.release();
      throw reason;
    }
  }

  /** Whether the call still waited. */
  private leave(owner: string, call: () => void): boolean {
    const calls = this.waiting.get(owner) ?? [];
    const at = calls.indexOf(call);
    if (at === -1) return false;
    calls.splice(at, 1);
    if (calls.length === 0) this.waiting.delete(owner);
    return true;
  }

  private release(): void {
    const [turn] = this.waiting;
    if (!turn) {
      this.free += 1;
      return;
    }
    const [owner, calls] = turn;
    const next = calls.shift();
    this.waiting.delete(owner);
    if (calls.length > 0) this.waiting.set(owner, calls);
    next?.();
  }
}
