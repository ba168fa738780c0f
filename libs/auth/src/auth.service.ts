import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AppError, Clock } from '@app/kernel';
import type { ApiKey } from './api-key.entity.js';
import { ApiKeyRepository } from './api-key.repository.js';
import { hashSecret, parseKey } from './key-format.js';

/** A revoked key is promised to stop within 5 s; the second that is left is for the clock and the query. */
const REMEMBER_MS = 4_000;
/** Well-formed keys that do not exist are remembered too, so the memory needs a bound. */
const REMEMBER_AT_MOST = 10_000;

/** Stands in for the row of an unknown key, so that it takes as long to refuse as a wrong secret. */
const NO_SECRET = hashSecret('');

/** Who sent a request. */
export interface Caller {
  readonly accountId: string;
  readonly keyId: string;
}

interface Remembered {
  readonly row: ApiKey | null;
  readonly until: number;
}

/** Finds out whose key was presented. */
@Injectable()
export class AuthService {
  private readonly remembered = new Map<string, Remembered>();

  constructor(
    private readonly repository: ApiKeyRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * @throws AppError `unauthorized`, the same for every cause: a caller learns nothing of which keys exist.
   */
  async authenticate(presented: string | undefined): Promise<Caller> {
    const parts = presented === undefined ? undefined : parseKey(presented);
    if (!parts) throw new AppError('unauthorized');
    const row = await this.find(parts.id);
    const matches = timingSafeEqual(hashSecret(parts.secret), row?.secretSha256 ?? NO_SECRET);
    if (!row || !matches) throw new AppError('unauthorized');
    return { accountId: row.accountId, keyId: row.id };
  }

  private async find(id: string): Promise<ApiKey | null> {
    const now = this.clock.now().getTime();
    const known = this.remembered.get(id);
    if (known && now < known.until) return known.row;
    const row = await this.repository.findValid(id);
    this.remember(id, { row, until: now + REMEMBER_MS });
    return row;
  }

  private remember(id: string, entry: Remembered): void {
    // Deleted first, so that the order of the map is the order of age.
    this.remembered.delete(id);
    this.remembered.set(id, entry);
    const [oldest] = this.remembered.keys();
    if (this.remembered.size > REMEMBER_AT_MOST && oldest !== undefined) this.remembered.delete(oldest);
  }
}
