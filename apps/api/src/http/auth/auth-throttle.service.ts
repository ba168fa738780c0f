import { Injectable } from '@nestjs/common';
import { Env } from '@app/config';
import { AppError, Clock, msUntil, TOKEN, TokenBuckets, tokensGranted, type BucketLimit } from '@app/kernel';

/** Bounds the memory; beyond it the address whose last failure is the oldest is forgotten. */
const MAX_ADDRESSES = 20_000;

/** Lookups of unknown keys from an address that is throttled. */
const THROTTLED_LOOKUPS: BucketLimit = { rate: 60, burst: 1 };

/**
 * Throttles addresses that present invalid keys. After AUTH_FAILURES_PER_MINUTE failures an address is answered 429 instead
 * of 401 until its bucket holds a token again, and the database is queried only for
 *
 *   - keys that were valid here before, so that other clients behind the same address are not affected;
 *   - one other key a second, so that a valid key that is new here gets in while guessing gains next to nothing.
 *
 * Each process counts for itself: exact numbers do not matter, and a shared store would be one more thing to flood.
 */
@Injectable()
export class AuthThrottleService {
  private readonly failures: TokenBuckets;
  private readonly lookups: TokenBuckets;
  private readonly limit: BucketLimit;

  constructor(env: Env, clock: Clock) {
    this.limit = { rate: env.AUTH_FAILURES_PER_MINUTE, burst: env.AUTH_FAILURES_PER_MINUTE };
    this.failures = new TokenBuckets(clock, MAX_ADDRESSES);
    this.lookups = new TokenBuckets(clock, MAX_ADDRESSES);
  }

  /** Whether the database may be queried for a key that was not valid here before. */
  mayLookUp(address: string): boolean {
    if (this.failures.level(address, this.limit) >= TOKEN) return true;
    return tokensGranted(this.lookups.takeTokens(address, THROTTLED_LOOKUPS, 1), 1) > 0;
  }

  /** Counts a failure and returns the error to answer with: `unauthorized`, or `rate_limited` beyond the limit. */
  countFailure(address: string, unauthorized: AppError): AppError {
    const level = this.failures.takeTokens(address, this.limit, 1);
    if (tokensGranted(level, 1) > 0) return unauthorized;
    return new AppError('rate_limited', {
      detail: 'Too many requests without a valid key came from this address.',
      retryAfterS: Math.ceil(msUntil(1, level, this.limit) / 1_000),
    });
  }
}
