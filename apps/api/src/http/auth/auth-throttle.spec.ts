import { beforeEach, describe, expect, it } from '@jest/globals';
import { Env } from '@app/config';
import { AppError, ManualClock } from '@app/kernel';
import { AuthThrottleService } from './auth-throttle.service.js';

describe(AuthThrottleService, () => {
  const unauthorized = new AppError('unauthorized');
  let clock: ManualClock;
  let throttle: AuthThrottleService;

  beforeEach(() => {
    clock = new ManualClock(new Date('2026-11-21T10:00:00Z'));
    throttle = new AuthThrottleService(Object.assign(new Env(), { AUTH_FAILURES_PER_MINUTE: 20 }), clock);
  });

  const advanceMs = (ms: number): void => {
    clock.set(new Date(clock.now().getTime() + ms));
  };
  const fail = (address = 'a'): AppError => throttle.countFailure(address, unauthorized);
  const exhaust = (): void => {
    for (let i = 0; i < 20; i++) expect(fail()).toBe(unauthorized);
  };

  it('answers 20 failures of an address with 401, and the next with 429 and a Retry-After', () => {
    exhaust();
    expect(fail()).toMatchObject({ code: 'rate_limited', facts: { retryAfterS: 3 } });
    expect(fail('b')).toBe(unauthorized);
  });

  it('lets an address fail again exactly after its Retry-After', () => {
    exhaust();
    const { retryAfterS = 0 } = fail().facts;
    advanceMs(retryAfterS * 1_000 - 1);
    expect(fail().code).toBe('rate_limited');
    advanceMs(1);
    expect(fail()).toBe(unauthorized);
    expect(fail().code).toBe('rate_limited');
  });

  it('allows every lookup while one failure is left', () => {
    for (let i = 0; i < 19; i++) fail();
    for (let i = 0; i < 3; i++) expect(throttle.mayLookUp('a')).toBe(true);
  });

  it('allows every lookup before the limit, and one a second beyond it', () => {
    for (let i = 0; i < 100; i++) expect(throttle.mayLookUp('a')).toBe(true);
    exhaust();
    expect([throttle.mayLookUp('a'), throttle.mayLookUp('a')]).toEqual([true, false]);
    advanceMs(1_000);
    expect([throttle.mayLookUp('a'), throttle.mayLookUp('a'), throttle.mayLookUp('b')]).toEqual([
      true,
      false,
      true,
    ]);
  });
});
