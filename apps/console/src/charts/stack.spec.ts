import { describe, expect, it } from '@jest/globals';
import { dayTicks, stackTops, valueTicks } from './stack.js';

const layer = (key: string, values: number[]) => ({ key, label: key, color: '--chart-1', values });

describe('a stacked chart', () => {
  it('puts each layer onto those before it', () => {
    expect(stackTops([layer('a', [1, 0]), layer('b', [2, 5]), layer('c', [0, 1])])).toEqual([
      [1, 0],
      [3, 5],
      [3, 6],
    ]);
    expect(stackTops([])).toEqual([]);
  });

  it.each([
    [0, [0, 1]],
    [1, [0, 1]],
    [3, [0, 1, 2, 3]],
    [7, [0, 2, 4, 6, 8]],
    [100, [0, 50, 100]],
    [1_234, [0, 500, 1_000, 1_500]],
  ])('has whole numbers up to above %d', (max, ticks) => {
    expect(valueTicks(max)).toEqual(ticks);
  });

  it.each([
    [1, 10, [0]],
    [7, 10, [0, 1, 2, 3, 4, 5, 6]],
    [30, 10, [1, 8, 15, 22, 29]],
    [731, 3, [2, 366, 730]],
  ])('labels the last of %d days, and no more than %d', (days, fitting, ticks) => {
    expect(dayTicks(days, fitting)).toEqual(ticks);
    expect(ticks.length).toBeLessThanOrEqual(fitting);
  });
});
