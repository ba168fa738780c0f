import { describe, expect, it } from '@jest/globals';
import { delayMs, SCHEDULE_S } from './retry-schedule.js';

const MIDDLE = 0.5;

describe(delayMs.name, () => {
  it('makes ten tries over a good three days', () => {
    expect(SCHEDULE_S).toHaveLength(10);
    const delays = SCHEDULE_S.map((_, tried) => delayMs(tried, MIDDLE));
    expect(delays).toEqual(
      [0, 5, 5 * 60, 30 * 60, 2 * 3_600, 5 * 3_600, 10 * 3_600, 14 * 3_600, 20 * 3_600, 24 * 3_600].map(
        (seconds) => seconds * 1_000,
      ),
    );
    expect(delayMs(10, MIDDLE)).toBeNull();
    expect(delayMs(11, MIDDLE)).toBeNull();
  });

  it('spreads tries by a tenth to either side', () => {
    expect(delayMs(2, 0)).toBe(270_000);
    expect(delayMs(2, 1)).toBe(330_000);
  });

  it('waits for as long as the receiver asks, a day at most, and never less than its own delay', () => {
    expect(delayMs(1, MIDDLE, 60)).toBe(60_000);
    expect(delayMs(1, 0, 60)).toBe(60_000);
    expect(delayMs(2, MIDDLE, 1)).toBe(300_000);
    expect(delayMs(1, MIDDLE, 1e9)).toBe(86_400_000);
    expect(delayMs(10, MIDDLE, 60)).toBeNull();
  });
});
