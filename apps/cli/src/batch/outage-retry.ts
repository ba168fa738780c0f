import { setTimeout as wait } from 'node:timers/promises';
import { CaptureError } from '@capture-service/client';

/** A service that is restarted, updated or cut off comes back within this time; then the command gives up and can be resumed. */
const MAX_OUTAGE_MS = 120_000;

const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 5_000;

/**
 * Repeats the calls of a batch for as long as the service may be away. The client itself repeats a call a few times; a batch
 * that runs for hours must not end because the service restarts.
 */
export class OutageRetry {
  private awaySince: number | undefined;
  private hasAnswered = false;

  /**
   * @param onAway called once when the service is away, and once when it is back
   */
  constructor(
    private readonly signal: AbortSignal,
    private readonly onAway: (isAway: boolean) => void = () => undefined,
  ) {}

  /** @throws what `call` throws, unless it may succeed later; the last error when the service stays away; the reason of an abort */
  async run<T>(call: () => Promise<T>): Promise<T> {
    for (let attempt = 0; ; attempt++) {
      try {
        const result = await call();
        this.isBack();
        return result;
      } catch (error) {
        await this.pauseAfter(error, attempt);
      }
    }
  }

  /** Notes that the service has answered. */
  isBack(): void {
    this.hasAnswered = true;
    if (this.awaySince === undefined) return;
    this.awaySince = undefined;
    this.onAway(false);
  }

  /** Waits before the next attempt, or throws the error if there is none. */
  async pauseAfter(error: unknown, attempt: number): Promise<void> {
    this.signal.throwIfAborted();
    if (!(error instanceof CaptureError) || !error.retryable) throw error;
    // A service that has never answered is not restarted: its URL is wrong, or it does not run.
    if (!this.hasAnswered && error.status === undefined) throw error;
    if (error.code !== 'rate_limited') this.isGone(error);
    const pauseMs = error.retryAfterMs ?? Math.min(FIRST_PAUSE_MS * 2 ** attempt, MAX_PAUSE_MS);
    try {
      await wait(Math.min(pauseMs, MAX_OUTAGE_MS), undefined, { signal: this.signal });
    } catch {
      this.signal.throwIfAborted();
    }
  }

  /** @throws the error if the service has been away for too long */
  private isGone(error: CaptureError): void {
    if (this.awaySince === undefined) {
      this.awaySince = performance.now();
      this.onAway(true);
    }
    if (performance.now() - this.awaySince > MAX_OUTAGE_MS) throw error;
  }
}
