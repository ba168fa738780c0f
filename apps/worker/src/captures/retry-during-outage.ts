import { setTimeout as sleep } from 'node:timers/promises';
import { isOutage } from '@app/database';

/** For how long a worker keeps what it has to tell while the database is away, and how often it tries. */
const PATIENCE = { holdMs: 60_000, pauseMs: 1_000 };

/** The database was away for longer than we held on. */
export class OutageTooLongError extends Error {
  override readonly name = 'OutlastedError';
}

/**
 * Does `work` again while the database is away, so that an outage shorter than a minute costs no capture. `work` may
 * have been done although it failed, for the answer may be what was lost.
 *
 * @throws OutlastedError
 */
export async function retryDuringOutage<T>(
  work: () => Promise<T>,
  { holdMs, pauseMs } = PATIENCE,
): Promise<T> {
  const deadline = performance.now() + holdMs;
  for (;;) {
    try {
      return await work();
    } catch (cause) {
      if (!isOutage(cause)) throw cause;
      if (performance.now() + pauseMs > deadline)
        throw new OutageTooLongError('The database is away.', { cause });
    }
    await sleep(pauseMs);
  }
}
