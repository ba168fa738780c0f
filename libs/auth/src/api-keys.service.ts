import { Injectable } from '@nestjs/common';
import type { ApiKey } from './api-key.entity.js';
import { ApiKeyRepository } from './api-key.repository.js';
import { generateKey, hashSecret } from './key-format.js';

export interface NewKey {
  readonly id: string;
  /** The key itself; it cannot be had again. */
  readonly key: string;
}

/** Keys as the operator manages them. */
@Injectable()
export class ApiKeysService {
  constructor(private readonly repository: ApiKeyRepository) {}

  async create(accountId: string, name: string): Promise<NewKey> {
    const { id, secret, key } = generateKey();
    await this.repository.add({ id, accountId, name, secretSha256: hashSecret(secret) });
    return { id, key };
  }

  list(): Promise<ApiKey[]> {
    return this.repository.list();
  }

  /** The key stops working within 5 s, everywhere. Null when there is none of this id. */
  revoke(id: string): Promise<ApiKey | null> {
    return this.repository.revoke(id);
  }

  hasAny(): Promise<boolean> {
    return this.repository.hasAny();
  }
}
