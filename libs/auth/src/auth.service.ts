import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AppError, Clock } from '@app/kernel';
import type { ApiKey } from './api-key.entity.js';
import { ApiKeyRepository } from './api-key.repository.js';
import { hashSecret, parseKey } from './key-format.js';
import { LookupCache } from './lookup-cache.js';

/** Compared for an unknown key, so that its refusal takes as long as that of a wrong secret. */
const NO_SECRET = hashSecret('');

/** The sender of a request. */
export interface Caller {
  readonly accountId: string;
  readonly keyId: string;
  /** Whether the tools of `POST /mcp` accept options that run code or carry secrets. */
  readonly mcpUnsafe: boolean;
}

/** Authenticates requests by their keys. */
@Injectable()
export class AuthService {
  private readonly keys: LookupCache<ApiKey>;

  constructor(repository: ApiKeyRepository, clock: Clock) {
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
    const { row } = await this.keys.find(parts.id, mayLookUp);
    const matches = timingSafeEqual(hashSecret(parts.secret), row?.secretSha256 ?? NO_SECRET);
    if (!row || !matches) throw new AppError('unauthorized');
    return { accountId: row.accountId, keyId: row.id, mcpUnsafe: row.mcpUnsafe };
  }
}
