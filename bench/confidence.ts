/** Student's t of a two-sided interval of 95 %, by degrees of freedom from 1; 2.04 and less for more. */
const T_95 = [
  12.71, 4.3, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.2, 2.18, 2.16, 2.14, 2.13, 2.12, 2.11, 2.1,
  2.09, 2.09, 2.08, 2.07, 2.07, 2.06, 2.06, 2.06, 2.05, 2.05, 2.05, 2.04,
];

/** The mean of some ratios, and where it lies with a probability of 95 %. */
export interface Estimate {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

/**
 * Estimates a ratio from the ratio of each round. The mean is the geometric one, so that it is the same whichever side is
 * divided by the other. Needs two rounds.
 */
export function estimate(ratios: readonly number[]): Estimate {
  const logs = ratios.map(Math.log);
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
  const variance = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / (logs.length - 1);
  const t = T_95[logs.length - 2] ?? 2.04;
  const half = t * Math.sqrt(variance / logs.length);
  return { mean: Math.exp(mean), low: Math.exp(mean - half), high: Math.exp(mean + half) };
}

/** The width of the interval, as a share of its mean. */
export function widthOf({ mean, low, high }: Estimate): number {
  return (high - low) / mean;
}
