import { Injectable } from '@nestjs/common';
import type { ApiKey } from './api-key.entity.js';
import { ApiKeyRepository } from './api-key.repository.js';
import { generateKey, hashSecret } from './key-format.js';

export interface NewKey {
  readonly id: string;
  /** The whole key, which is not stored. */
  readonly key: string;
}

/** Manages keys for the operator. */
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

  /** Revokes a key, which stops working within 5 s in all processes. Null if there is no key with this id. */
  revoke(id: string): Promise<ApiKey | null> {
    return this.repository.revoke(id);
  }

  /**
   * Says whether the tools of `POST /mcp` accept options that run code or carry secrets, for one key or for all that an
   * account has now; running processes know it within 5 s. Returns the ids of the keys, which are valid ones.
   */
  setMcpUnsafe(
    of: { readonly id: string } | { readonly accountId: string },
    mcpUnsafe: boolean,
  ): Promise<string[]> {
    return this.repository.setMcpUnsafe(of, mcpUnsafe);
  }

  hasAny(): Promise<boolean> {
    return this.repository.hasAny();
  }
}
