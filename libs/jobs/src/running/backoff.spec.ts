import { describe, expect, it } from '@jest/globals';
import { backoffMs } from './backoff.js';

describe(backoffMs, () => {
  it.each([
    [1, 250, 500],
    [2, 1_000, 2_000],
  ])('after failure %i, is between %i and %i ms', (failures, least, most) => {
    expect(backoffMs(failures, 0)).toBe(least);
    expect(backoffMs(failures, 1)).toBe(most);
  });

  it('varies at random', () => {
    expect(new Set(Array.from({ length: 50 }, () => backoffMs(2))).size).toBeGreaterThan(10);
  });
});
