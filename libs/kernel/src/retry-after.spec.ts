import { describe, expect, it } from '@jest/globals';
import { retryAfterS } from './retry-after.js';

describe(retryAfterS, () => {
  const now = new Date('2026-11-21T05:00:00.500Z');

  it.each([
    ['120', 120],
    [' 7 ', 7],
    ['0', 0],
    ['99999999999999999999', 1e20],
    ['Sat, 21 Nov 2026 05:01:00 GMT', 60],
    ['Sat, 21 Nov 2026 04:00:00 GMT', 0],
    ['2026-11-21T05:01:00Z', 0],
    ['Xyz, 99 Foo 2026 05:01:00 GMT', 0],
    ['-5', 0],
    ['1.5', 0],
    ['soon', 0],
    ['', 0],
  ])('reads %j as %d', (header, seconds) => {
    expect(retryAfterS(header, now)).toBe(seconds);
  });

  it('reads a missing header as 0', () => {
    expect(retryAfterS(undefined, now)).toBe(0);
  });
});
