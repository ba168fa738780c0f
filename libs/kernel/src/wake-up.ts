import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves after `ms`, or as soon as `signal` aborts. Never rejects. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}

/**
 * Wakes one loop that waits for work. A notification that arrives while the loop works is kept until its next wait;
 * several count as one.
 */
export class WakeUp {
  private isNotified = false;
  private wake: (() => void) | undefined;

  readonly notify = (): void => {
    this.isNotified = true;
    this.wake?.();
  };

  /** Resolves when notified since the last wait, after `timeoutMs`, or when `signal` aborts. */
  async wait(signal: AbortSignal, timeoutMs?: number): Promise<void> {
    const { promise: woken, resolve } = Promise.withResolvers<void>();
    const wake = (): void => resolve();
    const timer = timeoutMs === undefined ? undefined : setTimeout(wake, timeoutMs);
    signal.addEventListener('abort', wake);
    this.wake = wake;
    if (this.isNotified || signal.aborted) wake();
    await woken;
    clearTimeout(timer);
    signal.removeEventListener('abort', wake);
    this.isNotified = false;
  }
}
