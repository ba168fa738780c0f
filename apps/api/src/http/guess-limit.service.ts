import { Injectable } from '@nestjs/common';
import { Env } from '@app/config';
import { AppError, Clock, msUntil, TOKEN, TokenBuckets, tokensGranted, type BucketLimit } from '@app/kernel';

/** Bounds the memory; past it the address that failed least lately begins anew. */
const ADDRESSES_AT_MOST = 20_000;

/** Of an address that is told to wait: keys not seen before that are looked up all the same. */
const LOOK_UPS: BucketLimit = { rate: 60, burst: 1 };

/**
 * Holds up addresses that present keys which are not valid. After AUTH_FAILURES_PER_MINUTE failures the answer is 429
 * in place of 401 until one is allowed again, and the database is asked no more for what the address presents, but
 * for
 *
 *   - keys that were valid here before: whoever shares the address of a guesser goes on undisturbed;
 *   - one other key a second: so a valid key that is new here gets in, and a guesser gains next to nothing.
 *
 * Counted by each process for itself: exact numbers do not matter, and a store would be one more thing to flood.
 */
@Injectable()
export class GuessLimitService {
  private readonly failures: TokenBuckets;
  private readonly lookUps: TokenBuckets;
  private readonly limit: BucketLimit;

  constructor(env: Env, clock: Clock) {
    this.limit = { rate: env.AUTH_FAILURES_PER_MINUTE, burst: env.AUTH_FAILURES_PER_MINUTE };
    this.failures = new TokenBuckets(clock, ADDRESSES_AT_MOST);
    this.lookUps = new TokenBuckets(clock, ADDRESSES_AT_MOST);
  }

  /** Whether the database may be asked for a key that has not been seen valid. */
  mayLookUp(address: string): boolean {
    if (this.failures.level(address, this.limit) >= TOKEN) return true;
    return tokensGranted(this.lookUps.take(address, LOOK_UPS, 1), 1) > 0;
  }

  /** Counts a failure; what the address is answered: `unauthorized`, or `rate_limited` past its limit. */
  refuse(address: string, unauthorized: AppError): AppError {
    const level = this.failures.take(address, this.limit, 1);
    if (tokensGranted(level, 1) > 0) return unauthorized;
    return new AppError('rate_limited', {
      detail: 'Too many requests without a valid key came from this address.',
      retryAfterS: Math.ceil(msUntil(1, level, this.limit) / 1_000),
    });
  }
}
