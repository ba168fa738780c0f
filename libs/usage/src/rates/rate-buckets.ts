import type { BucketLimit } from '@app/kernel';

/** What is asked of one account's bucket. */
export interface RateAsk {
  readonly accountId: string;
  readonly limit: BucketLimit;
  readonly tokens: number;
}

/** Time in ms after which a request is let through without the store; a token of its own, as a value has no class. */
export const RATE_STORE_TIMEOUT_MS = Symbol('RATE_STORE_TIMEOUT_MS');

/** The buckets that all API processes share: a token is given once, whoever asks, by the one clock of the store. */
export abstract class RateBuckets {
  /**
   * Takes from each bucket up to what is asked, one ask for each account; the levels before, in the order of the asks.
   * `tokensGranted` says how many tokens of a level were taken. Rejects, and soon, when the store does not answer.
   */
  abstract take(asks: readonly RateAsk[]): Promise<readonly number[]>;
}
