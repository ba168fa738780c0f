import { beforeEach, describe, expect, it } from '@jest/globals';
import { ManualClock } from './clock.js';
import { msUntil, TOKEN, TokenBuckets, tokensGranted } from './token-buckets.js';

describe(TokenBuckets, () => {
  const limit = { rate: 70, burst: 10 };
  let clock: ManualClock;
  let buckets: TokenBuckets;

  beforeEach(() => {
    clock = new ManualClock(new Date('2026-11-21T10:00:00Z'));
    buckets = new TokenBuckets(clock, 3);
  });

  const passMs = (ms: number): void => {
    clock.set(new Date(clock.now().getTime() + ms));
  };
  const take = (name: string, count = 1): number =>
    tokensGranted(buckets.takeTokens(name, limit, count), count);

  it('grant the burst at once, and no more', () => {
    expect([take('a', 4), take('a', 9), take('a')]).toEqual([4, 6, 0]);
  });

  it('are refilled by exactly the rate, however often they are used in between', () => {
    take('a', 10);
    let granted = 0;
    for (let ms = 0; ms < 60_000; ms++) {
      passMs(1);
      granted += take('a');
    }
    expect(granted).toBe(70);
  });

  it('hold no more than the burst, however long they are unused', () => {
    take('a', 10);
    passMs(86_400_000);
    expect(take('a', 20)).toBe(10);
  });

  it('have a token after the wait that msUntil names, and none 1 ms earlier', () => {
    take('a', 10);
    passMs(123);
    const waitMs = msUntil(1, buckets.level('a', limit), limit);
    passMs(waitMs - 1);
    expect(take('a')).toBe(0);
    passMs(1);
    expect(take('a')).toBe(1);
  });

  it('follow a changed limit', () => {
    take('a', 10);
    passMs(1_000);
    expect(buckets.level('a', { rate: 600, burst: 100 })).toBe(10 * TOKEN);
    expect(buckets.level('a', { rate: 60_000, burst: 5 })).toBe(5 * TOKEN);
  });

  it('are not refilled while the clock stands still or is set back', () => {
    take('a', 10);
    passMs(-3_600_000);
    expect(take('a')).toBe(0);
    passMs(60_000);
    expect(take('a', 20)).toBe(10);
  });

  it('are independent of each other', () => {
    take('a', 10);
    expect(take('b', 10)).toBe(10);
  });

  it('evict the least recently used one when there are too many', () => {
    for (const name of ['a', 'b', 'c', 'a', 'd']) take(name, 10);
    expect(buckets.size).toBe(3);
    expect([take('a', 10), take('b', 10)]).toEqual([0, 10]);
  });
});
