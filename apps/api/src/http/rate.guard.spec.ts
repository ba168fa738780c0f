import { describe, expect, it } from '@jest/globals';
import { rateLimitHeaders } from './rate.guard.js';

describe(rateLimitHeaders, () => {
  it.each([
    ['a full bucket', { rate: 600, burst: 100 }, 100, 0, 'q=100;w=10', 'r=100;t=10'],
    ['a bucket in use', { rate: 600, burst: 100 }, 33, 0, 'q=100;w=10', 'r=33;t=4'],
    ['an empty bucket', { rate: 600, burst: 100 }, 0, 100, 'q=100;w=10', 'r=0;t=1'],
    ['a slow one', { rate: 1, burst: 3 }, 0, 59_999, 'q=3;w=180', 'r=0;t=60'],
    ['a fast one', { rate: 1_000_000, burst: 1 }, 1, 0, 'q=1;w=1', 'r=1;t=1'],
  ])('describe %s', (_, limit, remaining, waitMs, policy, current) => {
    expect(rateLimitHeaders({ passes: true, limit, remaining, waitMs })).toEqual({
      'RateLimit-Policy': `"default";${policy}`,
      RateLimit: `"default";${current}`,
    });
  });

  it('never allow more requests a second than the rate', () => {
    for (const rate of [1, 7, 59, 60, 61, 599, 1_000_000]) {
      for (const remaining of [1, 2, 99, 12_345]) {
        const header = rateLimitHeaders({
          passes: true,
          limit: { rate, burst: 20_000 },
          remaining,
          waitMs: 0,
        });
        const [, r, t] = /;r=(\d+);t=(\d+)$/.exec(header.RateLimit ?? '') ?? [];
        expect(Number(r) / Number(t)).toBeLessThanOrEqual(rate / 60);
      }
    }
  });
});
