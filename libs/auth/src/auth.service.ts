import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AppError, Clock } from '@app/kernel';
import type { ApiKey } from './api-key.entity.js';
import { ApiKeyRepository } from './api-key.repository.js';
import { toCaller, type Caller } from './caller.js';
import { hashSecret, parseKey } from './key-format.js';
import { LookupCache } from './lookup-cache.js';

/** Compared for an unknown key, so that its refusal takes as long as that of a wrong secret. */
const NO_SECRET = hashSecret('');

/** Authenticates requests by their keys. */
@Injectable()
export class AuthService {
  private readonly keys: LookupCache<ApiKey>;

  constructor(
    private readonly repository: ApiKeyRepository,
    private readonly clock: Clock,
  ) {
    this.keys = new LookupCache(clock, (id) => repository.findValid(id));
  }

  /**
   * @param mayLookUp is called before a database lookup of a key that was not valid in this process before, to limit
   * guessing. A key that was valid is always looked up, so that others cannot lock out its holder.
   * @throws AppError `unauthorized`, the same for every cause, so that callers do not learn which keys exist
   */
  async authenticate(presented: string | undefined, mayLookUp: () => boolean = () => true): Promise<Caller> {
    const parts = presented === undefined ? undefined : parseKey(presented);
    if (!parts) throw new AppError('unauthorized');
    const secret = hashSecret(parts.secret);
    const now = this.clock.now();
    const known = this.keys.known(parts.id);
    let { row } = known ?? (await this.keys.find(parts.id, mayLookUp));
    let opens = isOpenedBy(row, secret, now);
    // The key may have been rotated since it was looked up. A look just now needs no second one, by which a guess would show that the
    // key exists.
    if (known?.row && !opens && mayLookUp()) {
      ({ row } = await this.keys.lookUp(parts.id));
      opens = isOpenedBy(row, secret, now);
    }
    if (!row || !opens || isPast(row.expiresAt, now)) throw new AppError('unauthorized');
    await this.noteUse(row, now);
    return toCaller(row);
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
