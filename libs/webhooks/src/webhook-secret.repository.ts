import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from '@app/database';

/** The secrets of an account, encrypted. */
export interface SealedSecrets {
  readonly secret: Buffer;
  /** The previous secret while it still signs. */
  readonly previous: Buffer | null;
  /** When the previous secret stops signing; null without one. */
  readonly previousUntil: Date | null;
  readonly createdAt: Date;
}

/** Times of a rotation in seconds. */
export interface Rotation {
  readonly overlapS: number;
  readonly pauseS: number;
}

@Injectable()
export class WebhookSecretRepository {
  constructor(private readonly source: DataSource) {}

  async find(accountId: string): Promise<SealedSecrets | null> {
    const [row]: SealedSecrets[] = await this.source.query(
      `SELECT secret, created_at AS "createdAt", CASE WHEN previous_until > now() THEN previous END AS previous,
              CASE WHEN previous_until > now() THEN previous_until END AS "previousUntil"
         FROM webhook_secrets WHERE account_id = $1`,
      [accountId],
    );
    return row ?? null;
  }

  /** The oldest secret of any account. */
  async findAny(): Promise<{ accountId: string; secret: Buffer } | null> {
    const [row] = await this.source.query<{ accountId: string; secret: Buffer }[]>(
      'SELECT account_id AS "accountId", secret FROM webhook_secrets ORDER BY created_at LIMIT 1',
    );
    return row ?? null;
  }

  /** Does nothing if the account has a secret: two processes may generate the first one at the same time. */
  async add(accountId: string, secret: Buffer): Promise<void> {
    await this.source.query(
      `INSERT INTO webhook_secrets (account_id, secret) VALUES ($1, $2) ON CONFLICT DO NOTHING`,
      [accountId, secret],
    );
  }

  /**
   * Stores a new secret. The current one, if any, becomes the previous one for `overlapS`. Does nothing when the last
   * replacement is not older than `pauseS`: a repeated request must not invalidate the secret that receivers know. Returns
   * whether it was stored.
   */
  async replace(
    transaction: Transaction,
    accountId: string,
    { secret, overlapS, pauseS }: Rotation & { readonly secret: Buffer },
  ): Promise<boolean> {
    const stored: unknown[] = await transaction.query(
      `INSERT INTO webhook_secrets (account_id, secret) VALUES ($1, $2)
       ON CONFLICT (account_id) DO UPDATE
         SET secret = excluded.secret, created_at = now(),
             previous = webhook_secrets.secret, previous_until = now() + $3 * interval '1 s'
         WHERE webhook_secrets.previous IS NULL OR webhook_secrets.created_at <= now() - $4 * interval '1 s'
       RETURNING account_id`,
      [accountId, secret, overlapS, pauseS],
    );
    return stored.length > 0;
  }
}
