import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from '@app/database';
import { IS_VALID } from './api-key.repository.js';

/** A valid key with the scope `links`, and its encrypted secrets if it has some. */
export interface SealedSigningKey {
  readonly accountId: string;
  readonly name: string;
  readonly allowedHosts: string[] | null;
  readonly linksExpire: boolean;
  readonly secret: Buffer | null;
  readonly createdAt: Date | null;
  readonly previous: Buffer | null;
  readonly previousCreatedAt: Date | null;
}

@Injectable()
export class SigningSecretRepository {
  constructor(private readonly source: DataSource) {}

  /** Null if there is no such key, if it is revoked or expired, or if it may not sign links. */
  async find(keyId: string): Promise<SealedSigningKey | null> {
    const [row]: SealedSigningKey[] = await this.source.query(
      `SELECT account_id AS "accountId", name, allowed_hosts AS "allowedHosts", links_expire AS "linksExpire", secret, signing_secrets.created_at AS "createdAt",
              previous, previous_created_at AS "previousCreatedAt"
         FROM api_keys LEFT JOIN signing_secrets ON key_id = id
        WHERE id = $1 AND 'links' = ANY (scopes) AND ${IS_VALID}`,
      [keyId],
    );
    return row ?? null;
  }

  /** The oldest secret of any key. */
  async findAny(): Promise<{ keyId: string; secret: Buffer } | null> {
    const [row] = await this.source.query<{ keyId: string; secret: Buffer }[]>(
      'SELECT key_id AS "keyId", secret FROM signing_secrets ORDER BY created_at LIMIT 1',
    );
    return row ?? null;
  }

  /** Does nothing if the key has a secret: two processes may generate the first one at the same time. */
  async add(keyId: string, secret: Buffer): Promise<void> {
    await this.source.query(
      `INSERT INTO signing_secrets (key_id, secret)
       SELECT id, $2 FROM api_keys WHERE id = $1 AND 'links' = ANY (scopes) AND ${IS_VALID} ON CONFLICT DO NOTHING`,
      [keyId, secret],
    );
  }

  /** Stores a new secret, and the current one becomes the previous one. False if there is a previous one already. */
  async replace(transaction: Transaction, keyId: string, secret: Buffer): Promise<boolean> {
    const [, count]: [unknown, number] = await transaction.query(
      `UPDATE signing_secrets
          SET previous = secret, previous_created_at = created_at, secret = $2, created_at = now()
        WHERE key_id = $1 AND previous IS NULL`,
      [keyId, secret],
    );
    return count > 0;
  }

  /** Deletes the previous secret. False if there is none. */
  async deletePrevious(transaction: Transaction, keyId: string): Promise<boolean> {
    const [, count]: [unknown, number] = await transaction.query(
      `UPDATE signing_secrets SET previous = NULL, previous_created_at = NULL
        WHERE key_id = $1 AND previous IS NOT NULL`,
      [keyId],
    );
    return count > 0;
  }

  /** False if it was so before. */
  async setLinksExpire(transaction: Transaction, keyId: string, linksExpire: boolean): Promise<boolean> {
    const [, count]: [unknown, number] = await transaction.query(
      `UPDATE api_keys SET links_expire = $2 WHERE id = $1 AND links_expire <> $2`,
      [keyId, linksExpire],
    );
    return count > 0;
  }
}
