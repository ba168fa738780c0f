import { Injectable } from '@nestjs/common';
import { Clock, type BucketLimit } from '@app/kernel';
import { AccountRepository } from '../account.repository.js';

/** A changed rate is promised to hold within 5 s; the second that is left is for the clock and the query. */
const REMEMBER_MS = 4_000;
const REMEMBER_AT_MOST = 10_000;

/** As the schema has it: for an account whose own rate cannot be read now. */
export const DEFAULT_RATE: BucketLimit = { rate: 600, burst: 100 };

interface Remembered {
  readonly limit: Promise<BucketLimit>;
  readonly until: number;
}

/** What each account may ask, read once for many requests. */
@Injectable()
export class AccountRatesService {
  private readonly remembered = new Map<string, Remembered>();

  constructor(
    private readonly accounts: AccountRepository,
    private readonly clock: Clock,
  ) {}

  /** Never rejects: with the database away the last known rate holds on. */
  of(accountId: string): Promise<BucketLimit> {
    const now = this.clock.now().getTime();
    const known = this.remembered.get(accountId);
    if (known && now < known.until) return known.limit;
    const limit = this.read(accountId, known?.limit);
    // Deleted first, so that the order of the map is the order of age.
    this.remembered.delete(accountId);
    this.remembered.set(accountId, { limit, until: now + REMEMBER_MS });
    const [oldest] = this.remembered.keys();
    if (this.remembered.size > REMEMBER_AT_MOST && oldest !== undefined) this.remembered.delete(oldest);
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
