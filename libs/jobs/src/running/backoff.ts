/** Before the second attempt; each further one waits for four times as long. */
const BASE_MS = 500;
const FACTOR = 4;

/**
 * How long a job waits that failed for the `failures`-th time. At random between a half and the whole: what failed
 * together, for one cause, is not tried again together.
 */
export function backoffMs(failures: number, random = Math.random()): number {
  const whole = BASE_MS * FACTOR ** (failures - 1);
  return Math.round(whole * (0.5 + random / 2));
}
