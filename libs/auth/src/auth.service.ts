import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AppError, Clock } from '@app/kernel';
import { LRUCache } from 'lru-cache';
import type { ApiKey } from './api-key.entity.js';
import { ApiKeyRepository } from './api-key.repository.js';
import { toCaller, type Caller } from './caller.js';
import { hashSecret, parseKey } from './key-format.js';
import { CACHE_SIZE, isCurrent, LookupCache, type Lookup } from './lookup-cache.js';

/** Compared for an unknown key, so that its refusal takes as long as that of a wrong secret. */
const NO_SECRET = hashSecret('');

/**
 * Authenticates requests by their keys. A refusal costs the same whether there is such a key or not, so that its time shows
 * nobody which keys exist: one lookup for each secret that was not refused a moment ago.
 */
@Injectable()
export class AuthService {
  private readonly keys: LookupCache<ApiKey>;
  /** The ids and secrets that were refused, with the time in ms until which they still are. */
  private readonly refused = new LRUCache<string, Pick<Lookup<ApiKey>, 'until'>>({ max: CACHE_SIZE });

  constructor(
    private readonly repository: ApiKeyRepository,
    private readonly clock: Clock,
  ) {
    this.keys = new LookupCache(clock, (id) => repository.findValid(id));
  }

  /**
   * @param mayLookUp is called before a database lookup, to limit guessing. A client that has the secret of a key which was valid in this
   * process before is always looked up, so that nobody can lock it out.
   * @throws AppError `unauthorized`, the same for every cause, so that callers do not learn which keys exist
   */
  async authenticate(presented: string | undefined, mayLookUp: () => boolean = () => true): Promise<Caller> {
    const parts = presented === undefined ? undefined : parseKey(presented);
    if (!parts) throw new AppError('unauthorized');
    const now = this.clock.now();
    const row = await this.find(parts.id, { secret: hashSecret(parts.secret), now, mayLookUp });
    if (!row || isPast(row.expiresAt, now)) throw new AppError('unauthorized');
    await this.noteUse(row, now);
    return toCaller(row);
  }

  /** Reads a key again that was valid in this process before, when it is said to have changed. Others are read when they are presented. */
  async refresh(id: string): Promise<void> {
    if (this.keys.last(id)) await this.keys.lookUp(id);
  }

  /** The key with this id and secret. */
  private async find(id: string, { secret, now, mayLookUp }: Presented): Promise<ApiKey | null> {
    const isHolder = isOpenedBy(this.keys.last(id), secret, now);
    const known = this.keys.known(id);
    if (known && isHolder) return known.row;
    const name = `${id} ${secret.toString('base64')}`;
    const refusal = this.refused.get(name);
    const isRefused = refusal !== undefined && isCurrent(refusal, now.getTime());
    if (!isHolder && (isRefused || !mayLookUp())) return null;
    // The key may have been rotated since it was looked up.
    const { row, until } = await (known ? this.keys.lookUp(id) : this.keys.ask(id));
    if (isOpenedBy(row, secret, now)) return row;
    this.refused.set(name, { until });
    return null;
  }

  /** Writes once a day for each key. While the database accepts no writes, the day is written later. */
  private async noteUse(key: ApiKey, now: Date): Promise<void> {
    const today = now.toISOString().slice(0, 10);
    if (key.lastUsedOn !== null && key.lastUsedOn >= today) return;
    // The row is that of the cache: further requests have nothing to write.
    key.lastUsedOn = today;
    await this.repository.markUsed(key.id).catch(() => undefined);
  }
}

interface Presented {
  /** Its SHA-256. */
  readonly secret: Buffer;
  readonly now: Date;
  readonly mayLookUp: () => boolean;
}

/** Whether the secret is that of the key, or the one before it while that still works. Takes as long for every answer. */
function isOpenedBy(row: ApiKey | null, secret: Buffer, now: Date): boolean {
  const matches = timingSafeEqual(secret, row?.secretSha256 ?? NO_SECRET);
  const matchesPrevious = timingSafeEqual(secret, row?.previousSecretSha256 ?? NO_SECRET);
  return matches || (matchesPrevious && row !== null && !isPast(row.previousUntil, now));
}

/** Processes know what they read from the database for some seconds, in which a key may expire. */
function isPast(time: Date | null, now: Date): boolean {
  return time !== null && time.getTime() <= now.getTime();
}
