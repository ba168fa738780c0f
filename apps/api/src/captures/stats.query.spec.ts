import { describe, expect, it } from '@jest/globals';
import { rangeOf, StatsQuery } from './stats.query.js';

const NOW = new Date('2026-11-24T12:00:00Z');
const DAY_MS = 86_400_000;

describe(rangeOf.name, () => {
  const range = (query: Partial<StatsQuery>) => rangeOf(Object.assign(new StatsQuery(), query), NOW);
  const before = (days: number, ms = 0): string => new Date(NOW.getTime() - days * DAY_MS - ms).toISOString();

  it('is the last 30 days by default', () => {
    expect(range({})).toEqual({ from: NOW.getTime() - 30 * DAY_MS, to: NOW.getTime() });
  });

  it.each([
    ['hour', 31],
    ['day', 731],
  ] as const)('may be as long as the buckets of a %s allow, and no longer', (bucket, days) => {
    expect(range({ bucket, from: before(days) }).from).toBe(NOW.getTime() - days * DAY_MS);
    expect(() => range({ bucket, from: before(days, 1) })).toThrow(
      `must be at most ${days} days before to for bucket ${bucket}`,
    );
  });

  it('is refused when it is empty', () => {
    expect(range({ from: before(0, 1) }).from).toBe(NOW.getTime() - 1);
    expect(() => range({ from: before(0) })).toThrow('must be earlier than to');
  });
});
