/** Seconds before each try, counted from the end of the one before: ten tries over a good three days. */
export const SCHEDULE_S = [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400] as const;

/** Share of a delay by which it is made longer or shorter, so that what failed together does not come back together. */
const JITTER = 0.1;

/** A receiver that asks for more is asked again after this. */
const LONGEST_S = 86_400;

/**
 * Milliseconds until the next try, never sooner than the receiver asked for; null when all tries are used up.
 *
 * @param tried tries made so far
 * @param random from 0 to 1
 */
export function delayMs(tried: number, random: number, retryAfterS = 0): number | null {
  const delayS = SCHEDULE_S[tried];
  if (delayS === undefined) return null;
  const spread = 1 - JITTER + 2 * JITTER * random;
  return Math.round(1_000 * Math.max(delayS * spread, Math.min(retryAfterS, LONGEST_S)));
}
