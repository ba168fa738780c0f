import { Injectable, Logger } from '@nestjs/common';
import { Clock, msUntil, TOKEN, TokenBuckets, tokensGranted, type BucketLimit } from '@app/kernel';
import { AccountRatesService } from './account-rates.service.js';
import { RateBuckets, type RateAsk } from './rate-buckets.js';

/** After a failure, the store is not asked for this long, so that requests do not wait for it. */
const RETRY_STORE_MS = 2_000;
/** Buckets of this process, which it uses while the store is down. */
const MAX_OWN_BUCKETS = 10_000;

/** The verdict on a request. */
export interface RateVerdict {
  readonly passes: boolean;
  readonly limit: BucketLimit;
  /** Further requests that would pass now. */
  readonly remaining: number;
  /** Time in ms until the next request would pass, 0 while some remain; for a refused request, until it would pass. */
  readonly waitMs: number;
}

interface PendingChecks {
  readonly limit: BucketLimit;
  readonly resolvers: ((verdict: RateVerdict) => void)[];
}

/**
 * Limits requests to the rate of their account, over all API processes.
 *
 * It asks the store with one statement at a time, for all requests that came during the previous statement. A request
 * therefore waits for at most two statements, and a busy account causes no more of them than an idle one.
 */
@Injectable()
export class RatesService {
  private readonly logger = new Logger(RatesService.name);
  private readonly own: TokenBuckets;
  private pending = new Map<string, PendingChecks>();
  private isAsking = false;
  private downUntil = 0;

  constructor(
    private readonly rates: AccountRatesService,
    private readonly buckets: RateBuckets,
    private readonly clock: Clock,
  ) {
    this.own = new TokenBuckets(clock, MAX_OWN_BUCKETS);
  }

  /**
   * Counts a request of the account and decides whether it passes. Never rejects: while the store is down, this process
   * counts by itself, because a rate limiter must not stop the service.
   */
  async check(accountId: string): Promise<RateVerdict> {
    const limit = await this.rates.rateOf(accountId);
    return new Promise((resolve) => {
      const resolvers = this.pending.get(accountId)?.resolvers ?? [];
      resolvers.push(resolve);
      this.pending.set(accountId, { limit, resolvers });
      if (!this.isAsking) void this.askStore();
    });
  }

  /**
   * Counts more requests of the account at once. They pass together or not at all; what was left of the rate is gone then,
   * and `waitMs` is the time until they and the request that repeats them pass.
   */
  async checkMore(accountId: string, requests: number): Promise<RateVerdict> {
    const limit = await this.rates.rateOf(accountId);
    const [level = 0] = await this.takeTokens([{ accountId, limit, tokens: requests }]);
    const granted = tokensGranted(level, requests);
    const rest = level - granted * TOKEN;
    const passes = granted === requests;
    const remaining = passes ? Math.floor(rest / TOKEN) : 0;
    const awaited = passes ? 1 : Math.min(requests + 1, limit.burst);
    return { passes, limit, remaining, waitMs: remaining > 0 ? 0 : msUntil(awaited, rest, limit) };
  }

  /** How many requests may come at once. */
  async burstOf(accountId: string): Promise<number> {
    return (await this.rates.rateOf(accountId)).burst;
  }

  private async askStore(): Promise<void> {
    this.isAsking = true;
    while (this.pending.size > 0) {
      const asks = [...this.pending].map(([accountId, { limit, resolvers }]) => ({
        accountId,
        limit,
        resolvers,
        tokens: resolvers.length,
      }));
      this.pending = new Map();
      const levels = await this.takeTokens(asks);
      asks.forEach(({ limit, resolvers }, at) => {
        verdicts(levels[at] ?? 0, limit, resolvers.length).forEach((verdict, i) => resolvers[i]?.(verdict));
      });
    }
    this.isAsking = false;
  }

  private async takeTokens(asks: readonly RateAsk[]): Promise<readonly number[]> {
    const leftMs = this.downUntil - this.clock.now().getTime();
    // More is left only after the clock was set back.
    const isDown = leftMs > 0 && leftMs <= RETRY_STORE_MS;
    if (isDown) return this.takeOwn(asks);
    try {
      const levels = await this.buckets.takeTokens(asks);
      if (this.downUntil > 0)
        this.logger.log('the store of the rates is back: they are counted over all processes again');
      this.downUntil = 0;
      return levels;
    } catch (error) {
      if (this.downUntil === 0)
        this.logger.warn({ err: error }, 'the store of the rates is down: each process counts by itself');
      this.downUntil = this.clock.now().getTime() + RETRY_STORE_MS;
      return this.takeOwn(asks);
    }
  }

  private takeOwn(asks: readonly RateAsk[]): number[] {
    return asks.map(({ accountId, limit, tokens }) => this.own.takeTokens(accountId, limit, tokens));
  }
}

/** The verdicts on requests that came together. The first ones get the available tokens. */
export function verdicts(level: number, limit: BucketLimit, requests: number): RateVerdict[] {
  const granted = tokensGranted(level, requests);
  const rest = level - granted * TOKEN;
  return Array.from({ length: requests }, (_, i) => {
    const passes = i < granted;
    const remaining = passes ? granted - i - 1 + Math.floor(rest / TOKEN) : 0;
    // Requests that are refused together get different times, so that they do not return for the same token.
    const awaited = passes ? 1 : Math.min(i - granted + 1, limit.burst);
    return { passes, limit, remaining, waitMs: remaining > 0 ? 0 : msUntil(awaited, rest, limit) };
  });
}
