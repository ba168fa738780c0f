import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from '@app/database';
import { IdempotencyKey } from './idempotency-key.entity.js';

/** For how long an answer is kept; a key that is older is as good as new. */
const KEPT = `interval '24 hours'`;

export type KeyName = Pick<IdempotencyKey, 'accountId' | 'key'>;
export type NewKey = Pick<IdempotencyKey, 'accountId' | 'key' | 'fingerprint' | 'subjectId'>;
export type StoredKey = Pick<IdempotencyKey, 'accountId' | 'key' | 'fingerprint' | 'subjectId' | 'answer'>;

/** More in one statement would hold its locks for long. */
const PURGED_AT_ONCE = 10_000;

/** The keys under which requests were accepted. */
@Injectable()
export class IdempotencyKeyRepository {
  constructor(private readonly source: DataSource) {}

  /**
   * Takes those of these keys that are free, each named once; the others are returned as they are stored. Waits while
   * another transaction is taking one of them. In the order of the names, so that two such calls never deadlock.
   */
  async take(transaction: Transaction, keys: readonly NewKey[]): Promise<StoredKey[]> {
    const stored: StoredKey[] = [];
    let open = keys;
    while (open.length > 0) {
      const taken = await this.insert(transaction, open);
      const others = open.filter((key) => !taken.has(nameOf(key)));
      const found = others.length === 0 ? [] : await this.read(transaction, others);
      stored.push(...found);
      const names = new Set(found.map(nameOf));
      // Too old, or released a moment ago.
      open = others.filter((key) => !names.has(nameOf(key)));
      if (open.length > 0) await this.dropOld(transaction, open);
    }
    return stored;
  }

  /** Keeps the first answer under its key. */
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

  /** Frees keys, each only while it stands for this subject. */
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

  /** Forgets the answers that quote this job. The keys stay, so that a repeated request does not run it again. */
  async forgetAnswers(transaction: Transaction, subjectId: string): Promise<void> {
    await transaction.query(`UPDATE idempotency_keys SET answer = NULL WHERE subject_id = $1`, [subjectId]);
  }

  /** Deletes keys whose time is over, some at a time; how many it were. */
  async purge(): Promise<number> {
    const [, deleted]: [unknown, number] = await this.source.query(
      `DELETE FROM idempotency_keys WHERE (account_id, key) IN (
         SELECT account_id, key FROM idempotency_keys WHERE created_at < now() - ${KEPT}
          ORDER BY created_at LIMIT ${PURGED_AT_ONCE})`,
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
        WHERE (account_id, key) IN (SELECT * FROM unnest($1::uuid[], $2::text[])) AND created_at >= now() - ${KEPT}`,
      columnsOf(keys),
    );
  }

  private async dropOld(transaction: Transaction, keys: readonly KeyName[]): Promise<void> {
    await transaction.query(
      `DELETE FROM idempotency_keys
        WHERE (account_id, key) IN (SELECT * FROM unnest($1::uuid[], $2::text[])) AND created_at < now() - ${KEPT}`,
      columnsOf(keys),
    );
  }
}

/** A key belongs to its account; an id has no space in it. */
export function nameOf({ accountId, key }: KeyName): string {
  return `${accountId} ${key}`;
}

function columnsOf(keys: readonly KeyName[]): [string[], string[]] {
  return [keys.map(({ accountId }) => accountId), keys.map(({ key }) => key)];
}
