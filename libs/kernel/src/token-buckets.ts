import type { Clock } from './clock.js';

/**
 * The units of one token in the level of a bucket. A rate per minute then adds a whole number in each millisecond, so that
 * nothing is rounded and two processes that count the same bucket agree.
 */
export const TOKEN = 60_000;

/** A token bucket holds `burst` tokens when it is full, and is refilled continuously by `rate` tokens a minute. */
export interface BucketLimit {
  readonly rate: number;
  readonly burst: number;
}

/** How many of the requested tokens a bucket of this level grants. */
export function tokensGranted(level: number, requested: number): number {
  return Math.min(requested, Math.floor(level / TOKEN));
}

/** The time in ms until a bucket of this level holds so many tokens. */
export function msUntil(tokens: number, level: number, { rate }: BucketLimit): number {
  return Math.max(0, Math.ceil((tokens * TOKEN - level) / rate));
}

interface Bucket {
  readonly level: number;
  readonly atMs: number;
}

/** Token buckets of this process, by name. When there are more than `maxBuckets`, the least recently used is evicted. */
export class TokenBuckets {
  private readonly buckets = new Map<string, Bucket>();

  constructor(
    private readonly clock: Clock,
    private readonly maxBuckets: number,
  ) {}

  get size(): number {
    return this.buckets.size;
  }

  /** The level now, without taking anything. */
  level(name: string, { rate, burst }: BucketLimit): number {
    const bucket = this.buckets.get(name);
    const full = burst * TOKEN;
    if (!bucket) return full;
    const elapsedMs = Math.max(0, this.clock.now().getTime() - bucket.atMs);
    return Math.min(full, bucket.level + elapsedMs * rate);
  }

  /** Takes up to `count` tokens; returns the level before. */
  takeTokens(name: string, limit: BucketLimit, count: number): number {
    const level = this.level(name, limit);
    // Deleted and set again, so that the order of the map is the order of use.
    this.buckets.delete(name);
    const remaining = level - tokensGranted(level, count) * TOKEN;
    this.buckets.set(name, { level: remaining, atMs: this.clock.now().getTime() });
    const [oldest] = this.buckets.keys();
    if (this.buckets.size > this.maxBuckets && oldest !== undefined) this.buckets.delete(oldest);
    return level;
  }
}
