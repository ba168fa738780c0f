import { Injectable } from '@nestjs/common';
import { DataSource, IsNull } from 'typeorm';
import { ApiKey } from './api-key.entity.js';

@Injectable()
export class ApiKeyRepository {
  constructor(private readonly source: DataSource) {}

  async add(key: Pick<ApiKey, 'id' | 'accountId' | 'name' | 'secretSha256'>): Promise<void> {
    await this.source.createQueryBuilder().insert().into(ApiKey).values(key).updateEntity(false).execute();
  }

  /** The key with this id, unless it is revoked. */
  findValid(id: string): Promise<ApiKey | null> {
    return this.source.getRepository(ApiKey).findOneBy({ id, revokedAt: IsNull() });
  }

  list(): Promise<ApiKey[]> {
    return this.source.getRepository(ApiKey).find({ order: { createdAt: 'ASC', id: 'ASC' } });
  }

  /** Revokes a key and deletes its signing secrets. A revoked key keeps its time. Null if there is no such key. */
  async revoke(id: string): Promise<ApiKey | null> {
    await this.source.query(
      `WITH unsigned AS (DELETE FROM signing_secrets WHERE key_id = $1)
       UPDATE api_keys SET revoked_at = now() WHERE id = $1 AND revoked_at IS NULL`,
      [id],
    );
    return this.source.getRepository(ApiKey).findOneBy({ id });
  }

  /** Sets the permission of one key, or of all keys of an account, that are not revoked. Returns the ids of these keys. */
  async setMcpUnsafe(
    of: { readonly id: string } | { readonly accountId: string },
    mcpUnsafe: boolean,
  ): Promise<string[]> {
    const changed = await this.source
      .createQueryBuilder()
      .update(ApiKey)
      .set({ mcpUnsafe })
      .where({ ...of, revokedAt: IsNull() })
      .returning('id')
      .execute();
    return (changed.raw as { id: string }[]).map(({ id }) => id);
  }

  /** Whether a key has ever been created. */
  hasAny(): Promise<boolean> {
    return this.source.getRepository(ApiKey).exists({});
  }
}
