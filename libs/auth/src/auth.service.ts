import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AppError, Clock } from '@app/kernel';
import type { ApiKey } from './api-key.entity.js';
import { ApiKeyRepository } from './api-key.repository.js';
import { hashSecret, parseKey } from './key-format.js';

/** A revoked key is promised to stop within 5 s; the second that is left is for the clock and the query. */
const REMEMBER_MS = 4_000;
/** Of keys that exist, and of ids that do not: apart, or guesses would drive out what they are guesses of. */
const REMEMBER_AT_MOST = 10_000;

/** Stands in for the row of an unknown key, so that it takes as long to refuse as a wrong secret. */
const NO_SECRET = hashSecret('');

/** Who sent a request. */
export interface Caller {
  readonly accountId: string;
  readonly keyId: string;
}

interface Remembered<Row> {
  readonly row: Row;
  readonly until: number;
}

/** Finds out whose key was presented. */
@Injectable()
export class AuthService {
  private readonly valid = new Map<string, Remembered<ApiKey>>();
  private readonly invalid = new Map<string, Remembered<null>>();

  constructor(
    private readonly repository: ApiKeyRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * `mayLookUp` is asked before the database is, for a key that has not been seen valid here: by it a caller who
   * guesses is held up. A key that was valid is looked up in any case, so that its holder never suffers from others.
   *
   * @throws AppError `unauthorized`, the same for every cause: a caller learns nothing of which keys exist.
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
    const known = this.valid.get(id) ?? this.invalid.get(id);
    if (known && now < known.until) return known.row;
    if (!this.valid.has(id) && !mayLookUp()) return null;
    const row = await this.repository.findValid(id);
    const until = now + REMEMBER_MS;
    (row ? this.invalid : this.valid).delete(id);
    if (row) remember(this.valid, id, { row, until });
    else remember(this.invalid, id, { row, until });
    return row;
  }
}

function remember<Row>(memory: Map<string, Remembered<Row>>, id: string, entry: Remembered<Row>): void {
  // Deleted first, so that the order of the map is the order of age.
  memory.delete(id);
  memory.set(id, entry);
  const [oldest] = memory.keys();
  if (memory.size > REMEMBER_AT_MOST && oldest !== undefined) memory.delete(oldest);
}
