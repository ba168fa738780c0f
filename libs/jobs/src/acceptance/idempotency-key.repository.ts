import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from '@app/database';
import { IdempotencyKey } from './idempotency-key.entity.js';

/** How long keys are kept; an older key can be used for a new request. */
const RETENTION = `interval '24 hours'`;

/** SQL of the subject of one key, which still counts: the parameters are `:accountId` and `:idempotencyKey`. */
export const SUBJECT_OF_KEY = `(
  SELECT subject_id FROM idempotency_keys
   WHERE account_id = :accountId AND key = :idempotencyKey AND created_at >= now() - ${RETENTION})`;

export type KeyName = Pick<IdempotencyKey, 'accountId' | 'key'>;
export type NewKey = Pick<IdempotencyKey, 'accountId' | 'key' | 'fingerprint' | 'subjectId'>;
export type StoredKey = Pick<IdempotencyKey, 'accountId' | 'key' | 'fingerprint' | 'subjectId' | 'answer'>;

/** More keys in one statement would hold its locks for too long. */
const MAX_PURGED = 10_000;

/** The Idempotency-Keys under which requests were accepted. */
@Injectable()
export class IdempotencyKeyRepository {
  constructor(private readonly source: DataSource) {}

  /**
   * Claims the free keys among these, and returns the others as they are stored. Each key is given once. Waits
   * while another transaction is taking one of them. Takes them in the order of their names, so that calls never deadlock.
   */
  async claim(transaction: Transaction, keys: readonly NewKey[]): Promise<StoredKey[]> {
    const stored: StoredKey[] = [];
    let pending = keys;
    while (pending.length > 0) {
      const claimed = await this.insert(transaction, pending);
      const others = pending.filter((key) => !claimed.has(nameOf(key)));
      const found = others.length === 0 ? [] : await this.read(transaction, others);
      stored.push(...found);
      const names = new Set(found.map(nameOf));
      // The rest have expired, or were released just now.
      pending = others.filter((key) => !names.has(nameOf(key)));
      if (pending.length > 0) await this.deleteExpired(transaction, pending);
    }
    return stored;
  }

  /** Stores the first answers with their keys. */
  async keepAnswers(
    transaction: Transaction,
    answers: readonly (KeyName & { readonly answer: object })[],
  ): Promise<void> {
    await transaction.query(
      `UPDATE idempotency_keys stored SET answer = given.answer
         FROM unnest($1::uuid[], $2::text[], $3::json[]) AS given (account_id, key, answer)
        WHERE stored.account_id = given.account_id AND stored.key = given.key`,
      [...columnsOf(answers), answers.map(({ answer }) => JSON.stringify(answer))],
    );
  }

  /** Makes a key that was claimed stand for another subject, with this first answer. */
  async assign(
    transaction: Transaction,
    { accountId, key, subjectId, answer }: KeyName & { readonly subjectId: string; readonly answer: object },
  ): Promise<void> {
    await transaction.query(
      `UPDATE idempotency_keys SET subject_id = $3, answer = $4 WHERE account_id = $1 AND key = $2`,
      [accountId, key, subjectId, JSON.stringify(answer)],
    );
  }

  /** Deletes keys, each only if it still belongs to this subject. */
  async release(
    transaction: Transaction,
    keys: readonly (KeyName & Pick<IdempotencyKey, 'subjectId'>)[],
  ): Promise<void> {
    await transaction.query(
      `DELETE FROM idempotency_keys WHERE (account_id, key, subject_id) IN (
         SELECT * FROM unnest($1::uuid[], $2::text[], $3::uuid[]))`,
      [...columnsOf(keys), keys.map(({ subjectId }) => subjectId)],
    );
  }

  /** Deletes the answers that quote this job. The keys stay, so that a repeated request does not run it again. */
  async forgetAnswers(transaction: Transaction, subjectId: string): Promise<void> {
    await transaction.query(`UPDATE idempotency_keys SET answer = NULL WHERE subject_id = $1`, [subjectId]);
  }

  /** Deletes some of the expired keys; returns how many. */
  async purge(): Promise<number> {
    const [, deleted]: [unknown, number] = await this.source.query(
      `DELETE FROM idempotency_keys WHERE (account_id, key) IN (
         SELECT account_id, key FROM idempotency_keys WHERE created_at < now() - ${RETENTION}
          ORDER BY created_at LIMIT ${MAX_PURGED})`,
    );
    return deleted;
  }

  private async insert(transaction: Transaction, keys: readonly NewKey[]): Promise<ReadonlySet<string>> {
    const rows: { account_id: string; key: string }[] = await transaction.query(
      `INSERT INTO idempotency_keys (account_id, key, fingerprint, subject_id)
       SELECT * FROM unnest($1::uuid[], $2::text[], $3::bytea[], $4::uuid[]) AS new (account_id, key)
        ORDER BY account_id, key
       ON CONFLICT DO NOTHING RETURNING account_id, key`,
      [
        ...columnsOf(keys),
        keys.map(({ fingerprint }) => fingerprint),
        keys.map(({ subjectId }) => subjectId),
      ],
    );
    return new Set(rows.map(({ account_id, key }) => nameOf({ accountId: account_id, key })));
  }

  private read(transaction: Transaction, keys: readonly KeyName[]): Promise<StoredKey[]> {
    return transaction.query(
      `SELECT account_id AS "accountId", key, fingerprint, subject_id AS "subjectId", answer
         FROM idempotency_keys
        WHERE (account_id, key) IN (SELECT * FROM unnest($1::uuid[], $2::text[])) AND created_at >= now() - ${RETENTION}`,
      columnsOf(keys),
    );
  }

  private async deleteExpired(transaction: Transaction, keys: readonly KeyName[]): Promise<void> {
    await transaction.query(
      `DELETE FROM idempotency_keys
        WHERE (account_id, key) IN (SELECT * FROM unnest($1::uuid[], $2::text[])) AND created_at < now() - ${RETENTION}`,
      columnsOf(keys),
    );
  }
}

/** Identifies a key among those of all accounts; an id contains no space. */
export function nameOf({ accountId, key }: KeyName): string {
  return `${accountId} ${key}`;
}

function columnsOf(keys: readonly KeyName[]): [string[], string[]] {
  return [keys.map(({ accountId }) => accountId), keys.map(({ key }) => key)];
}
