import { describe, expect, it } from '@jest/globals';
import { percentilesOf } from './latency.js';

/** Does what the SQL of bucketSql does. */
const bucketOf = (ms: number): number => (ms <= 0 ? -1 : Math.floor(Math.log(ms) / Math.log(1.05)));
const counted = (values: number[]) => values.map((ms) => ({ bucket: bucketOf(ms), captures: 1 }));

describe(percentilesOf, () => {
  it('returns null when nothing was counted', () => {
    expect(percentilesOf([])).toBeNull();
  });

  it.each([0, 1, 2, 3, 7, 10, 15, 19])('is exact at %d ms', (ms) => {
    expect(percentilesOf(counted([ms]))).toEqual({ p50: ms, p95: ms, p99: ms });
  });

  it.each([20, 99, 187, 1_000, 59_999, 1_000_000])('is at most 2.5 %% off at %d ms', (ms) => {
    const { p50 } = percentilesOf(counted([ms])) ?? { p50: NaN };
    expect(Math.abs(p50 - ms) / ms).toBeLessThanOrEqual(0.025);
  });

  it('takes the nearest rank, whatever the order of the buckets', () => {
    const values = Array.from({ length: 100 }, (_, i) => (i < 94 ? 4 : i < 98 ? 8 : 12));
    expect(percentilesOf(counted(values.reverse()))).toEqual({ p50: 4, p95: 8, p99: 12 });
  });
});
