import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AppError, Clock } from '@app/kernel';
import type { ApiKey } from './api-key.entity.js';
import { ApiKeyRepository } from './api-key.repository.js';
import { hashSecret, parseKey } from './key-format.js';

/** A revoked key stops working within 5 s. The remaining second covers the clock and the query. */
const CACHE_MS = 4_000;
/** The size of each cache. Valid and invalid ids have separate caches, so that guesses do not evict valid keys. */
const CACHE_SIZE = 10_000;

/** Compared for an unknown key, so that its refusal takes as long as that of a wrong secret. */
const NO_SECRET = hashSecret('');

/** The sender of a request. */
export interface Caller {
  readonly accountId: string;
  readonly keyId: string;
}

interface CacheEntry<Row> {
  readonly row: Row;
  readonly until: number;
}

/** Authenticates requests by their keys. */
@Injectable()
export class AuthService {
  private readonly valid = new Map<string, CacheEntry<ApiKey>>();
  private readonly invalid = new Map<string, CacheEntry<null>>();

  constructor(
    private readonly repository: ApiKeyRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * @param mayLookUp is called before a database lookup of a key that was not valid in this process before, to limit
   * guessing. A key that was valid is always looked up, so that others cannot lock out its holder.
   * @throws AppError `unauthorized`, the same for every cause, so that callers do not learn which keys exist
   */
  async authenticate(presented: string | undefined, mayLookUp: () => boolean = () => true): Promise<Caller> {
    const parts = presented === undefined ? undefined : parseKey(presented);
    if (!parts) throw new AppError('unauthorized');
    const row = await this.find(parts.id, mayLookUp);
    const matches = timingSafeEqual(hashSecret(parts.secret), row?.secretSha256 ?? NO_SECRET);
    if (!row || !matches) throw new AppError('unauthorized');
    return { accountId: row.accountId, keyId: row.id };
  }

  private async find(id: string, mayLookUp: () => boolean): Promise<ApiKey | null> {
    const now = this.clock.now().getTime();
    const entry = this.valid.get(id) ?? this.invalid.get(id);
    if (entry && now < entry.until) return entry.row;
    if (!this.valid.has(id) && !mayLookUp()) return null;
    const row = await this.repository.findValid(id);
    const until = now + CACHE_MS;
    (row ? this.invalid : this.valid).delete(id);
    if (row) store(this.valid, id, { row, until });
    else store(this.invalid, id, { row, until });
    return row;
  }
}

function store<Row>(cache: Map<string, CacheEntry<Row>>, id: string, entry: CacheEntry<Row>): void {
  // Deleted first, so that the map is in order of age.
  cache.delete(id);
  cache.set(id, entry);
  const [oldest] = cache.keys();
  if (cache.size > CACHE_SIZE && oldest !== undefined) cache.delete(oldest);
}
