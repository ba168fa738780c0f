import { beforeEach, describe, expect, it } from '@jest/globals';
import { Env } from '@app/config';
import { AppError, ManualClock } from '@app/kernel';
import { GuessLimitService } from './guess-limit.service.js';

describe(GuessLimitService, () => {
  const unauthorized = new AppError('unauthorized');
  let clock: ManualClock;
  let guesses: GuessLimitService;

  beforeEach(() => {
    clock = new ManualClock(new Date('2026-11-21T10:00:00Z'));
    guesses = new GuessLimitService(Object.assign(new Env(), { AUTH_FAILURES_PER_MINUTE: 20 }), clock);
  });

  const passMs = (ms: number): void => {
    clock.set(new Date(clock.now().getTime() + ms));
  };
  const fail = (address = 'a'): AppError => guesses.refuse(address, unauthorized);
  const exhaust = (): void => {
    for (let i = 0; i < 20; i++) expect(fail()).toBe(unauthorized);
  };

  it('answers 20 failures of an address as such, and the next with a wait', () => {
    exhaust();
    expect(fail()).toMatchObject({ code: 'rate_limited', facts: { retryAfterS: 3 } });
    expect(fail('b')).toBe(unauthorized);
  });

  it('keeps the word of its Retry-After', () => {
    exhaust();
    const { retryAfterS = 0 } = fail().facts;
    passMs(retryAfterS * 1_000 - 1);
    expect(fail().code).toBe('rate_limited');
    passMs(1);
    expect(fail()).toBe(unauthorized);
    expect(fail().code).toBe('rate_limited');
  });

  it('lets every key be looked up while one failure is left', () => {
    for (let i = 0; i < 19; i++) fail();
    for (let i = 0; i < 3; i++) expect(guesses.mayLookUp('a')).toBe(true);
  });

  it('lets every key be looked up before, and one a second afterwards', () => {
    for (let i = 0; i < 100; i++) expect(guesses.mayLookUp('a')).toBe(true);
    exhaust();
    expect([guesses.mayLookUp('a'), guesses.mayLookUp('a')]).toEqual([true, false]);
    passMs(1_000);
    expect([guesses.mayLookUp('a'), guesses.mayLookUp('a'), guesses.mayLookUp('b')]).toEqual([
      true,
      false,
      true,
    ]);
  });
});
