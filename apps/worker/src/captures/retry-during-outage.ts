import { setTimeout as sleep } from 'node:timers/promises';
import { isOutage } from '@app/database';

/** How long a worker retries a read or write while the database is down, and the delay between two attempts. */
const LIMITS = { timeoutMs: 60_000, delayMs: 1_000 };

/** The outage of the database lasted longer than the timeout. */
export class OutageTooLongError extends Error {
  override readonly name = 'OutageTooLongError';
}

/**
 * Repeats `work` while the database is down, so that an outage of less than a minute costs no capture. A failed call of
 * `work` may have succeeded in the database, because the connection may have been lost before the answer.
 *
 * @throws OutageTooLongError
 */
export async function retryDuringOutage<T>(
  work: () => Promise<T>,
  { timeoutMs, delayMs } = LIMITS,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await work();
    } catch (cause) {
      if (!isOutage(cause)) throw cause;
      if (performance.now() + delayMs > deadline) {
        throw new OutageTooLongError('The database is down.', { cause });
      }
    }
    await sleep(delayMs);
  }
}
