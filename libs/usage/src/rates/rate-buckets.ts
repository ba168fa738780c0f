import type { BucketLimit } from '@app/kernel';

/** A request for tokens from the bucket of an account. */
export interface RateAsk {
  readonly accountId: string;
  readonly limit: BucketLimit;
  readonly tokens: number;
}

/** Injection token: time in ms after which a request is let through without the store. */
export const RATE_STORE_TIMEOUT_MS = Symbol('RATE_STORE_TIMEOUT_MS');

/** The token buckets that all API processes share, refilled by the clock of the store. */
export abstract class RateBuckets {
  /**
   * Takes up to the requested tokens from each bucket, with at most one ask for each account. Returns the previous levels,
   * in the order of the asks; `tokensGranted` computes from a level how many tokens were taken. Rejects soon when the
   * store does not answer.
   */
  abstract takeTokens(asks: readonly RateAsk[]): Promise<readonly number[]>;
}
