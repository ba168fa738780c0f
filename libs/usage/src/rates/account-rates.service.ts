import { Injectable } from '@nestjs/common';
import { asService } from '@app/database';
import { Clock, type BucketLimit } from '@app/kernel';
import { AccountRepository } from '../account.repository.js';

/** A changed rate applies within 5 s. The remaining second covers the clock and the query. */
const CACHE_MS = 4_000;
const CACHE_SIZE = 10_000;

/** The default of the schema, for an account whose rate cannot be read. */
export const DEFAULT_RATE: BucketLimit = { rate: 600, burst: 100 };

interface CachedRate {
  readonly limit: Promise<BucketLimit>;
  readonly until: number;
}

/** Caches the rates of accounts. */
@Injectable()
export class AccountRatesService {
  private readonly cached = new Map<string, CachedRate>();

  constructor(
    private readonly accounts: AccountRepository,
    private readonly clock: Clock,
  ) {}

  /** Never rejects: while the database is down, the last known rate applies. */
  rateOf(accountId: string): Promise<BucketLimit> {
    const now = this.clock.now().getTime();
    const entry = this.cached.get(accountId);
    // After the clock was set back, an entry would stay for as much longer.
    if (entry && now < entry.until && entry.until - now <= CACHE_MS) return entry.limit;
    const limit = asService(() => this.read(accountId, entry?.limit));
    // Deleted first, so that the map is in order of age.
    this.cached.delete(accountId);
    this.cached.set(accountId, { limit, until: now + CACHE_MS });
    const [oldest] = this.cached.keys();
    if (this.cached.size > CACHE_SIZE && oldest !== undefined) this.cached.delete(oldest);
    return limit;
  }

  private async read(accountId: string, last: Promise<BucketLimit> | undefined): Promise<BucketLimit> {
    try {
      return (await this.accounts.findRate(accountId)) ?? DEFAULT_RATE;
    } catch {
      return last ?? DEFAULT_RATE;
    }
  }
}
