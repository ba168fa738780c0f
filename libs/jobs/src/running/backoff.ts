/** The delay before the second attempt; each further delay is four times as long. */
const BASE_MS = 500;
const FACTOR = 4;

/**
 * How long a job waits after its `failures`-th failure: a random time between half of the delay and the whole, so that
 * jobs that failed together for one cause are not retried together.
 */
export function backoffMs(failures: number, random = Math.random()): number {
  const delayMs = BASE_MS * FACTOR ** (failures - 1);
  return Math.round(delayMs * (0.5 + random / 2));
}
