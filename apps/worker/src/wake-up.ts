import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves after `ms`, or when `signal` aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}

/** Cuts short the wait of a loop that looks for work now and then, when there is some. */
export class WakeUp {
  private rung = Promise.withResolvers<void>();

  readonly ring = (): void => {
    this.rung.resolve();
  };

  /** Forgets what rang. To be called before looking: what rings meanwhile is for the next look. */
  reset(): void {
    this.rung = Promise.withResolvers();
  }

  /** Resolves when it has rung since the last reset, after `withinMs`, or when `closing` aborts. */
  async wait(withinMs: number, closing: AbortSignal): Promise<void> {
    const over = new AbortController();
    await Promise.race([this.rung.promise, pause(withinMs, AbortSignal.any([closing, over.signal]))]);
    over.abort();
  }
}
