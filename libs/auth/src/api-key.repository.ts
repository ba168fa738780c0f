import { Injectable } from '@nestjs/common';
import { DataSource, IsNull } from 'typeorm';
import type { Transaction } from '@app/database';
import { pageOfRows, type Cursor } from '@app/kernel';
import { ApiKey } from './api-key.entity.js';

/** A key to be stored. */
export type StoredKey = Pick<
  ApiKey,
  | 'id'
  | 'accountId'
  | 'name'
  | 'secretSha256'
  | 'scopes'
  | 'expiresAt'
  | 'allowedHosts'
  | 'allowedIps'
  | 'person'
>;

/** A UUID for the id of a key, which is none: cursors name rows by UUIDs. */
const PAGE_ID = `(substr(md5(id), 1, 12) || '8' || substr(md5(id), 14, 3) || 'a' || substr(md5(id), 18))::uuid`;

/** A page of keys. */
export interface KeyPage {
  readonly items: ApiKey[];
  readonly nextCursor: string | null;
}

/** The channel of PostgreSQL's NOTIFY on which a transaction that changes a key says so to all processes. The payload is its id. */
export const KEY_CHANGED = 'capture_key_changed';

/** SQL: the key is neither revoked nor expired. */
export const IS_VALID = `api_keys.revoked_at IS NULL AND (api_keys.expires_at IS NULL OR api_keys.expires_at > now())`;

@Injectable()
export class ApiKeyRepository {
  constructor(private readonly source: DataSource) {}

  async add(transaction: Transaction, key: StoredKey): Promise<ApiKey> {
    await transaction.createQueryBuilder().insert().into(ApiKey).values(key).updateEntity(false).execute();
    return transaction.getRepository(ApiKey).findOneByOrFail({ id: key.id });
  }

  /** The key with this id, unless it is revoked or has expired. */
  findValid(id: string): Promise<ApiKey | null> {
    return this.source
      .getRepository(ApiKey)
      .createQueryBuilder('api_keys')
      .where('api_keys.id = :id', { id })
      .andWhere(IS_VALID)
      .getOne();
  }

  find(id: string): Promise<ApiKey | null> {
    return this.source.getRepository(ApiKey).findOneBy({ id });
  }

  /** The key, locked until the transaction ends. */
  lock(transaction: Transaction, id: string): Promise<ApiKey | null> {
    return transaction.getRepository(ApiKey).findOne({ where: { id }, lock: { mode: 'for_no_key_update' } });
  }

  /** The key, locked until the transaction ends, unless it is revoked or has expired. */
  lockValid(transaction: Transaction, id: string): Promise<ApiKey | null> {
    return transaction
      .getRepository(ApiKey)
      .createQueryBuilder('api_keys')
      .where('api_keys.id = :id', { id })
      .andWhere(IS_VALID)
      .setLock('for_no_key_update')
      .getOne();
  }

  /** One key, or all of an account or a person, that are not revoked, locked in the order of their ids. */
  lockUnrevoked(
    transaction: Transaction,
    of: { readonly id: string } | { readonly accountId: string } | { readonly person: string },
  ): Promise<ApiKey[]> {
    return transaction.getRepository(ApiKey).find({
      where: { ...of, revokedAt: IsNull() },
      order: { id: 'ASC' },
      lock: { mode: 'for_no_key_update' },
    });
  }

  /**
   * The valid keys with the scope `admin`, except those of people who log in by single sign-on, locked in the order of their
   * ids: no two of them are revoked as the last but one.
   */
  lockAdmins(transaction: Transaction): Promise<{ id: string; accountId: string }[]> {
    return transaction.query(
      `SELECT id, account_id AS "accountId" FROM api_keys
        WHERE 'admin' = ANY (scopes) AND person IS NULL AND ${IS_VALID} ORDER BY id FOR NO KEY UPDATE`,
    );
  }

  list(): Promise<ApiKey[]> {
    return this.source.getRepository(ApiKey).find({ order: { createdAt: 'ASC', id: 'ASC' } });
  }

  /** A page of the keys of one account, or of all; the newest first. */
  async listPage(
    accountId: string | undefined,
    { limit, cursor }: { readonly limit: number; readonly cursor: Cursor | undefined },
  ): Promise<KeyPage> {
    const rows: { id: string; pageId: string; createdAt: Date }[] = await this.source.query(
      `SELECT id, ${PAGE_ID} AS "pageId", created_at AS "createdAt" FROM api_keys
        WHERE ($1::uuid IS NULL OR account_id = $1)
          AND ($2::float8 IS NULL OR (created_at, ${PAGE_ID}) < (to_timestamp($2::float8 / 1000), $3::uuid))
        ORDER BY created_at DESC, ${PAGE_ID} DESC LIMIT $4`,
      [accountId, cursor?.createdAtMs, cursor?.id, limit + 1],
    );
    const page = pageOfRows(
      rows.map(({ id: keyId, pageId: id, createdAt }) => ({ keyId, id, createdAt })),
      limit,
      ({ createdAt }) => createdAt,
    );
    const keys = await this.source
      .getRepository(ApiKey)
      .createQueryBuilder('api_keys')
      .where('api_keys.id = ANY (:ids)', { ids: page.items.map(({ keyId }) => keyId) })
      .getMany();
    const byId = new Map(keys.map((key) => [key.id, key]));
    return { items: page.items.flatMap(({ keyId }) => byId.get(keyId) ?? []), nextCursor: page.nextCursor };
  }

  /** Revokes keys and deletes their signing secrets. A revoked key keeps its time. */
  async revoke(transaction: Transaction, ids: readonly string[]): Promise<void> {
    await transaction.query(
      `WITH unsigned AS (DELETE FROM signing_secrets WHERE key_id = ANY ($1))
       UPDATE api_keys SET revoked_at = now(), previous_secret_sha256 = NULL, previous_until = NULL
        WHERE id = ANY ($1) AND revoked_at IS NULL`,
      [ids],
    );
    await announce(transaction, ids);
  }

  /** Changes the name and the limits of a key that the transaction has locked. */
  async change(
    transaction: Transaction,
    id: string,
    change: Partial<Pick<ApiKey, 'name' | 'expiresAt' | 'allowedHosts' | 'allowedIps'>>,
  ): Promise<ApiKey> {
    await transaction.getRepository(ApiKey).update({ id }, change);
    await announce(transaction, [id]);
    return transaction.getRepository(ApiKey).findOneByOrFail({ id });
  }

  /** Replaces the secret; the one before it works for this long, and an earlier one no more. */
  async replaceSecret(transaction: Transaction, id: string, secret: KeySecret): Promise<void> {
    await transaction.query(
      `UPDATE api_keys SET previous_secret_sha256 = CASE WHEN $3 > 0 THEN secret_sha256 END,
              previous_until = CASE WHEN $3 > 0 THEN now() + $3 * interval '1 s' END, secret_sha256 = $2
        WHERE id = $1`,
      [id, secret.sha256, secret.overlapS],
    );
    await announce(transaction, [id]);
  }

  async setMcpUnsafe(transaction: Transaction, ids: readonly string[], mcpUnsafe: boolean): Promise<void> {
    await transaction.query(`UPDATE api_keys SET mcp_unsafe = $2 WHERE id = ANY ($1)`, [ids, mcpUnsafe]);
    await announce(transaction, ids);
  }

  /** Notes that a key was used today (UTC). */
  async markUsed(id: string): Promise<void> {
    await this.source.query(
      `UPDATE api_keys SET last_used_on = (now() AT TIME ZONE 'UTC')::date
        WHERE id = $1 AND last_used_on IS DISTINCT FROM (now() AT TIME ZONE 'UTC')::date`,
      [id],
    );
  }

  /** Whether a key has ever been created. */
  hasAny(): Promise<boolean> {
    return this.source.getRepository(ApiKey).exists({});
  }
}

/** Tells all processes, if and when the transaction commits, that these keys have changed. */
async function announce(transaction: Transaction, ids: readonly string[]): Promise<void> {
  await transaction.query(`SELECT pg_notify($1, id) FROM unnest($2::text[]) AS id`, [KEY_CHANGED, ids]);
}

interface KeySecret {
  readonly sha256: Buffer;
  readonly overlapS: number;
}
