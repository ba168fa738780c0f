import type { Clock } from './clock.js';

/**
 * What a bucket's level is counted in: 60,000 are one token. A rate per minute then adds a whole number in each
 * millisecond, so that nothing is ever rounded and two that count the same bucket come to the same sum.
 */
export const TOKEN = 60_000;

/** A token bucket: `burst` tokens when it is full, refilled continuously by `rate` tokens a minute. */
export interface BucketLimit {
  readonly rate: number;
  readonly burst: number;
}

/** How many of the tokens that are asked for a bucket of this level gives. */
export function tokensGranted(level: number, asked: number): number {
  return Math.min(asked, Math.floor(level / TOKEN));
}

/** Time in ms until a bucket of this level holds so many tokens; whoever waits for that long finds them there. */
export function msUntil(tokens: number, level: number, { rate }: BucketLimit): number {
  return Math.max(0, Math.ceil((tokens * TOKEN - level) / rate));
}

interface Bucket {
  readonly level: number;
  readonly atMs: number;
}

/** Token buckets of this process, by name. Past `atMost` of them the one that was asked least lately is forgotten. */
export class TokenBuckets {
  private readonly buckets = new Map<string, Bucket>();

  constructor(
    private readonly clock: Clock,
    private readonly atMost: number,
  ) {}

  get size(): number {
    return this.buckets.size;
  }

  /** The level now; nothing is taken. */
  level(name: string, { rate, burst }: BucketLimit): number {
    const bucket = this.buckets.get(name);
    const full = burst * TOKEN;
    if (!bucket) return full;
    const elapsedMs = Math.max(0, this.clock.now().getTime() - bucket.atMs);
    return Math.min(full, bucket.level + elapsedMs * rate);
  }

  /** Takes up to `count` tokens; returns the level before. */
  take(name: string, limit: BucketLimit, count: number): number {
    const level = this.level(name, limit);
    // Deleted first, so that the order of the map is the order of use.
    this.buckets.delete(name);
    const rest = level - tokensGranted(level, count) * TOKEN;
    this.buckets.set(name, { level: rest, atMs: this.clock.now().getTime() });
    const [oldest] = this.buckets.keys();
    if (this.buckets.size > this.atMost && oldest !== undefined) this.buckets.delete(oldest);
    return level;
  }
}
