import { describe, expect, it } from '@jest/globals';
import { isoOf, localOf } from './local-time.js';

describe('times of a field', () => {
  it('are the same there and back, in any zone', () => {
    for (const local of ['2026-11-22T14:03', '2026-07-01T00:00']) expect(localOf(isoOf(local))).toBe(local);
  });

  it('are in UTC in the address', () => {
    expect(isoOf('2026-11-22T14:03')).toMatch(/^2026-11-2\dT\d\d:\d\d:00Z$/);
  });

  it('are empty for what is no time', () => {
    expect([localOf(undefined), localOf('yesterday'), isoOf('')]).toEqual(['', '', '']);
  });
});
