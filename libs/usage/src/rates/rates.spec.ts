import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { ManualClock, TokenBuckets, type BucketLimit } from '@app/kernel';
import type { AccountRepository } from '../account.repository.js';
import { AccountRatesService, DEFAULT_RATE } from './account-rates.service.js';
import { RateBuckets, type RateAsk } from './rate-buckets.js';
import { RatesService } from './rates.service.js';

/** A store that counts like the real ones, and answers on `answerAll`. */
class ManualBuckets extends RateBuckets {
  readonly asks: (readonly RateAsk[])[] = [];
  private answers: (() => void)[] = [];
  isDown = false;

  constructor(private readonly buckets: TokenBuckets) {
    super();
  }

  takeTokens(asks: readonly RateAsk[]): Promise<readonly number[]> {
    this.asks.push(asks);
    return new Promise((resolve, reject) => {
      this.answers.push(() => {
        if (this.isDown) reject(new Error('down'));
        else
          resolve(
            asks.map(({ accountId, limit, tokens }) => this.buckets.takeTokens(accountId, limit, tokens)),
          );
      });
    });
  }

  /** Answers all asks, including those that follow from the answers. */
  async answerAll(): Promise<void> {
    await settled();
    for (let answer = this.answers.shift(); answer; answer = this.answers.shift()) {
      answer();
      await settled();
    }
  }
}

/** Resolves when all pending promises have settled. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe(RatesService, () => {
  const limit = { rate: 60, burst: 10 };
  let clock: ManualClock;
  let store: ManualBuckets;
  let rates: RatesService;

  beforeEach(() => {
    clock = new ManualClock(new Date('2026-11-21T10:00:00Z'));
    store = new ManualBuckets(new TokenBuckets(clock, 100));
    const accounts: Pick<AccountRatesService, 'rateOf'> = { rateOf: () => Promise.resolve(limit) };
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

  it('asks once for all requests that came during the previous ask', async () => {
    await check([...times(8), 'b']);
    expect(store.asks.map((asks) => asks.map(({ accountId, tokens }) => [accountId, tokens]))).toEqual([
      [['a', 1]],
      [
        ['a', 7],
        ['b', 1],
      ],
    ]);
  });

  it('lets the first requests pass, and reports what is left after each', async () => {
    const verdicts = await check(times(12));
    expect(verdicts.map(({ passes }) => passes)).toEqual([...Array<boolean>(10).fill(true), false, false]);
    expect(verdicts.map(({ remaining }) => remaining)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0, 0]);
  });

  it('reports different waiting times to requests that it refuses together', async () => {
    const verdicts = await check(times(13));
    expect(verdicts.slice(9).map(({ waitMs }) => waitMs)).toEqual([1_000, 1_000, 2_000, 3_000]);
    passMs(1_000);
    expect((await check(times(2))).map(({ passes }) => passes)).toEqual([true, false]);
    passMs(2_000);
    expect((await check(times(3))).map(({ passes }) => passes)).toEqual([true, true, false]);
  });

  it('never reports a longer wait than a bucket takes to fill', async () => {
    const waits = (await check(times(100))).map(({ waitMs }) => waitMs);
    expect(Math.max(...waits)).toBe(10_000);
  });

  describe('while the store is down', () => {
    let logged: unknown[];

    beforeEach(() => {
      store.isDown = true;
      logged = [];
      const log = (...words: unknown[]): void =>
        void logged.push(words.find((word) => typeof word === 'string'));
      Logger.overrideLogger({ log, warn: log, error: log });
    });

    afterEach(() => {
      Logger.overrideLogger(['error']);
    });

    it('logs that once, and once that the store is back', async () => {
      for (let i = 0; i < 5; i++) {
        await check(times(3));
        passMs(2_000);
      }
      expect(logged).toEqual(['the store of the rates is down: each process counts by itself']);
      store.isDown = false;
      await check(times(3));
      await check(times(3));
      expect(logged.slice(1)).toEqual([
        'the store of the rates is back: they are counted over all processes again',
      ]);
    });

    it('limits requests by the buckets of this process', async () => {
      expect((await check(times(12))).filter(({ passes }) => passes)).toHaveLength(10);
      passMs(1_000);
      expect((await check(times(2))).filter(({ passes }) => passes)).toHaveLength(1);
    });

    it('does not ask the store for some time, then asks again', async () => {
      await check(['a']);
      passMs(1_999);
      await check(['a']);
      expect(store.asks).toHaveLength(1);
      passMs(1);
      store.isDown = false;
      await check(['a']);
      await check(['a']);
      expect(store.asks).toHaveLength(3);
    });

    it('asks the store again although the clock was set back', async () => {
      await check(['a']);
      store.isDown = false;
      passMs(-3_600_000);
      await check(['a']);
      expect(store.asks).toHaveLength(2);
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

  it('reads a rate once for many requests, and again so that a change applies within 5 s', async () => {
    stored = { rate: 1, burst: 2 };
    expect(await Promise.all([rates.rateOf('a'), rates.rateOf('a')])).toEqual([stored, stored]);
    expect(reads).toBe(1);
    stored = { rate: 3, burst: 4 };
    passMs(3_999);
    expect(await rates.rateOf('a')).toEqual({ rate: 1, burst: 2 });
    passMs(1_000);
    expect(await rates.rateOf('a')).toEqual(stored);
  });

  it('reads a rate again although the clock was set back', async () => {
    stored = { rate: 1, burst: 2 };
    await rates.rateOf('a');
    stored = { rate: 3, burst: 4 };
    passMs(-3_600_000);
    expect(await rates.rateOf('a')).toEqual(stored);
  });

  it('keeps the last known rate while the database is down', async () => {
    stored = { rate: 1, burst: 2 };
    await rates.rateOf('a');
    stored = new Error('down');
    passMs(5_000);
    expect(await rates.rateOf('a')).toEqual({ rate: 1, burst: 2 });
    expect(await rates.rateOf('b')).toEqual(DEFAULT_RATE);
  });
});
