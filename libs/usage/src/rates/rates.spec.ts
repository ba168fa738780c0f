import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { ManualClock, TokenBuckets, type BucketLimit } from '@app/kernel';
import type { AccountRepository } from '../account.repository.js';
import { AccountRatesService, DEFAULT_RATE } from './account-rates.service.js';
import { RateBuckets, type RateAsk } from './rate-buckets.js';
import { RatesService } from './rates.service.js';

/** A store that counts as the real ones do, and answers when it is told to. */
class ManualBuckets extends RateBuckets {
  readonly asks: (readonly RateAsk[])[] = [];
  private answers: (() => void)[] = [];
  isAway = false;

  constructor(private readonly buckets: TokenBuckets) {
    super();
  }

  take(asks: readonly RateAsk[]): Promise<readonly number[]> {
    this.asks.push(asks);
    return new Promise((resolve, reject) => {
      this.answers.push(() => {
        if (this.isAway) reject(new Error('away'));
        else resolve(asks.map(({ accountId, limit, tokens }) => this.buckets.take(accountId, limit, tokens)));
      });
    });
  }

  /** Answers what has been asked, and what is asked then, until nobody asks any more. */
  async answerAll(): Promise<void> {
    await settled();
    for (let answer = this.answers.shift(); answer; answer = this.answers.shift()) {
      answer();
      await settled();
    }
  }
}

/** All that follows from what has happened has happened. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe(RatesService, () => {
  const limit = { rate: 60, burst: 10 };
  let clock: ManualClock;
  let store: ManualBuckets;
  let rates: RatesService;

  beforeEach(() => {
    clock = new ManualClock(new Date('2026-11-21T10:00:00Z'));
    store = new ManualBuckets(new TokenBuckets(clock, 100));
    const accounts: Pick<AccountRatesService, 'of'> = { of: () => Promise.resolve(limit) };
    rates = new RatesService(accounts as AccountRatesService, store, clock);
  });

  const passMs = (ms: number): void => {
    clock.set(new Date(clock.now().getTime() + ms));
  };
  const check = async (accountIds: readonly string[]) => {
    const verdicts = Promise.all(accountIds.map((accountId) => rates.check(accountId)));
    await store.answerAll();
    return verdicts;
  };
  const times = (count: number): string[] => Array.from({ length: count }, () => 'a');

  it('asks once for all that came while it asked before', async () => {
    await check([...times(8), 'b']);
    expect(store.asks.map((asks) => asks.map(({ accountId, tokens }) => [accountId, tokens]))).toEqual([
      [['a', 1]],
      [
        ['a', 7],
        ['b', 1],
      ],
    ]);
  });

  it('gives the tokens to those who came first, and tells each what is left after it', async () => {
    const verdicts = await check(times(12));
    expect(verdicts.map(({ passes }) => passes)).toEqual([...Array<boolean>(10).fill(true), false, false]);
    expect(verdicts.map(({ remaining }) => remaining)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0, 0]);
  });

  it('tells each of those it refuses together when there is a token for it too', async () => {
    const verdicts = await check(times(13));
    expect(verdicts.slice(9).map(({ waitMs }) => waitMs)).toEqual([1_000, 1_000, 2_000, 3_000]);
    passMs(1_000);
    expect((await check(times(2))).map(({ passes }) => passes)).toEqual([true, false]);
    passMs(2_000);
    expect((await check(times(3))).map(({ passes }) => passes)).toEqual([true, true, false]);
  });

  it('never tells anybody to wait for longer than a full bucket takes', async () => {
    const waits = (await check(times(100))).map(({ waitMs }) => waitMs);
    expect(Math.max(...waits)).toBe(10_000);
  });

  describe('while the store is away', () => {
    let said: unknown[];

    beforeEach(() => {
      store.isAway = true;
      said = [];
      const say = (...words: unknown[]): void =>
        void said.push(words.find((word) => typeof word === 'string'));
      Logger.overrideLogger({ log: say, warn: say, error: say });
    });

    afterEach(() => {
      Logger.overrideLogger(['error']);
    });

    it('says so once, and once that it is back', async () => {
      for (let i = 0; i < 5; i++) {
        await check(times(3));
        passMs(2_000);
      }
      expect(said).toEqual(['the store of the rates is away: each process counts by itself']);
      store.isAway = false;
      await check(times(3));
      await check(times(3));
      expect(said.slice(1)).toEqual(['rates are counted over all processes again']);
    });

    it('lets through what the account may, counted by itself', async () => {
      expect((await check(times(12))).filter(({ passes }) => passes)).toHaveLength(10);
      passMs(1_000);
      expect((await check(times(2))).filter(({ passes }) => passes)).toHaveLength(1);
    });

    it('does not ask it for some time, and then again', async () => {
      await check(['a']);
      passMs(1_999);
      await check(['a']);
      expect(store.asks).toHaveLength(1);
      passMs(1);
      store.isAway = false;
      await check(['a']);
      await check(['a']);
      expect(store.asks).toHaveLength(3);
    });
  });
});

describe(AccountRatesService, () => {
  let clock: ManualClock;
  let stored: BucketLimit | Error | null;
  let reads: number;
  let rates: AccountRatesService;

  beforeEach(() => {
    clock = new ManualClock(new Date('2026-11-21T10:00:00Z'));
    reads = 0;
    const accounts: Pick<AccountRepository, 'findRate'> = {
      findRate: () => {
        reads++;
        return stored instanceof Error ? Promise.reject(stored) : Promise.resolve(stored);
      },
    };
    rates = new AccountRatesService(accounts as AccountRepository, clock);
  });

  const passMs = (ms: number): void => {
    clock.set(new Date(clock.now().getTime() + ms));
  };

  it('are read once for many requests, and again so that a change holds within 5 s', async () => {
    stored = { rate: 1, burst: 2 };
    expect(await Promise.all([rates.of('a'), rates.of('a')])).toEqual([stored, stored]);
    expect(reads).toBe(1);
    stored = { rate: 3, burst: 4 };
    passMs(3_999);
    expect(await rates.of('a')).toEqual({ rate: 1, burst: 2 });
    passMs(1_000);
    expect(await rates.of('a')).toEqual(stored);
  });

  it('hold on while the database is away', async () => {
    stored = { rate: 1, burst: 2 };
    await rates.of('a');
    stored = new Error('away');
    passMs(5_000);
    expect(await rates.of('a')).toEqual({ rate: 1, burst: 2 });
    expect(await rates.of('b')).toEqual(DEFAULT_RATE);
  });
});
