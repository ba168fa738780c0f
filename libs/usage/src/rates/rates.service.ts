import { Injectable, Logger } from '@nestjs/common';
import { Clock, msUntil, TOKEN, TokenBuckets, tokensGranted, type BucketLimit } from '@app/kernel';
import { AccountRatesService } from './account-rates.service.js';
import { RateBuckets, type RateAsk } from './rate-buckets.js';

/** How long the store is left alone after it did not answer; a request in this time does not wait for it. */
const LEAVE_ALONE_MS = 2_000;
/** Buckets that stand in for the store while it is away. */
const OWN_BUCKETS_AT_MOST = 10_000;

/** What became of one request. */
export interface RateVerdict {
  readonly passes: boolean;
  readonly limit: BucketLimit;
  /** Requests that would pass right after this one. */
  readonly remaining: number;
  /** Time in ms until the next would pass, 0 while some remain; of a refused request, until it would itself. */
  readonly waitMs: number;
}

interface Waiting {
  readonly limit: BucketLimit;
  readonly tellers: ((verdict: RateVerdict) => void)[];
}

/**
 * Lets requests through at the rate of their account, over all API processes.
 *
 * The store is asked by one statement at a time, for whoever came while the one before was under way. So a request
 * waits for two statements at the most, however many come, and a busy account costs no more of them than an idle one.
 */
@Injectable()
export class RatesService {
  private readonly logger = new Logger(RatesService.name);
  private readonly own: TokenBuckets;
  private waiting = new Map<string, Waiting>();
  private asking = false;
  private awayUntil = 0;

  constructor(
    private readonly rates: AccountRatesService,
    private readonly buckets: RateBuckets,
    private readonly clock: Clock,
  ) {
    this.own = new TokenBuckets(clock, OWN_BUCKETS_AT_MOST);
  }

  /**
   * Counts a request of the account and says whether it may go on. Never rejects: with the store away this process
   * counts by itself, for a limiter that cannot count must not stop the service.
   */
  async check(accountId: string): Promise<RateVerdict> {
    const limit = await this.rates.of(accountId);
    return new Promise((tell) => {
      const tellers = this.waiting.get(accountId)?.tellers ?? [];
      tellers.push(tell);
      this.waiting.set(accountId, { limit, tellers });
      if (!this.asking) void this.askForAll();
    });
  }

  private async askForAll(): Promise<void> {
    this.asking = true;
    while (this.waiting.size > 0) {
      const asked = [...this.waiting].map(([accountId, { limit, tellers }]) => ({
        accountId,
        limit,
        tellers,
        tokens: tellers.length,
      }));
      this.waiting = new Map();
      const levels = await this.take(asked);
      asked.forEach(({ limit, tellers }, at) => {
        verdicts(levels[at] ?? 0, limit, tellers.length).forEach((verdict, i) => tellers[i]?.(verdict));
      });
    }
    this.asking = false;
  }

  private async take(asks: readonly RateAsk[]): Promise<readonly number[]> {
    const isAway = this.clock.now().getTime() < this.awayUntil;
    if (isAway) return this.takeOwn(asks);
    try {
      const levels = await this.buckets.take(asks);
      if (this.awayUntil > 0) this.logger.log('rates are counted over all processes again');
      this.awayUntil = 0;
      return levels;
    } catch (error) {
      if (this.awayUntil === 0)
        this.logger.warn({ err: error }, 'the store of the rates is away: each process counts by itself');
      this.awayUntil = this.clock.now().getTime() + LEAVE_ALONE_MS;
      return this.takeOwn(asks);
    }
  }

  private takeOwn(asks: readonly RateAsk[]): number[] {
    return asks.map(({ accountId, limit, tokens }) => this.own.take(accountId, limit, tokens));
  }
}

/** Of `asked` requests that came together, in their order: the first get the tokens that are there. */
export function verdicts(level: number, limit: BucketLimit, asked: number): RateVerdict[] {
  const granted = tokensGranted(level, asked);
  const rest = level - granted * TOKEN;
  return Array.from({ length: asked }, (_, i) => {
    const passes = i < granted;
    const remaining = passes ? granted - i - 1 + Math.floor(rest / TOKEN) : 0;
    // Those refused together would all come back for the same token: each is told when there is one for it too.
    const awaited = passes ? 1 : Math.min(i - granted + 1, limit.burst);
    return { passes, limit, remaining, waitMs: remaining > 0 ? 0 : msUntil(awaited, rest, limit) };
  });
}
