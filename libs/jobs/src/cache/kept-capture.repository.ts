import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DatabaseService, type Transaction } from '@app/database';
import type { Job } from '../job/job.entity.js';
import { LEADS } from './cache-entry.repository.js';
import { SharedFilesRepository } from './shared-files.repository.js';

/** The captures that entries of the cache name: how they get there, and how the cache forgets them. */
@Injectable()
export class KeptCaptureRepository {
  constructor(
    private readonly source: DataSource,
    private readonly database: DatabaseService,
    private readonly files: SharedFilesRepository,
  ) {}

  /**
   * Keeps a capture that has succeeded with a visit of its own, until its file expires. From now on `shared_files` owns its
   * files. A later capture that ended sooner stays.
   *
   * @param keys of its files in the store
   */
  async keep(transaction: Transaction, job: Job, keys: readonly string[]): Promise<void> {
    const { id, accountId, cacheKey, finishedAt, expiresAt } = job;
    await this.files.add(transaction, job, keys);
    const [replaced]: { capture_id: string | null }[] = await transaction.query(
      `SELECT capture_id FROM cache_entries WHERE account_id = $1 AND key = $2 FOR UPDATE`,
      [accountId, cacheKey],
    );
    await transaction.query(
      `INSERT INTO cache_entries AS entry (account_id, key, capture_id, captured_at, kept_until) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (account_id, key) DO UPDATE
         SET capture_id = excluded.capture_id, captured_at = excluded.captured_at, kept_until = excluded.kept_until,
             leader_id = nullif(entry.leader_id, excluded.capture_id)
       WHERE entry.captured_at IS NULL OR entry.captured_at <= excluded.captured_at`,
      [accountId, cacheKey, id, finishedAt, expiresAt],
    );
    if (replaced?.capture_id) await this.files.makeDue(transaction, [replaced.capture_id]);
  }

  /**
   * Makes the cache forget a capture, because the store has lost its files or a caller deleted a record that shows them. No
   * further record shows the files; those that do keep them.
   */
  async forget(captureId: string, transaction: Transaction = this.source.manager): Promise<void> {
    await transaction.query(
      `UPDATE cache_entries SET capture_id = NULL, captured_at = NULL WHERE capture_id = $1`,
      [captureId],
    );
    await this.files.close(transaction, captureId);
  }

  /**
   * Belongs to the transaction in which these rows stop showing files. A capture whose own row has none answers no request.
   * An entry that another process has locked keeps naming it, which does no harm, and expires later.
   */
  async release(transaction: Transaction, rows: readonly Pick<Job, 'id' | 'originId'>[]): Promise<void> {
    const shared = rows.filter(({ originId }) => originId !== null);
    if (shared.length === 0) return;
    await transaction.query(FORGET_CAPTURES, [shared.map(({ id }) => id)]);
    await this.files.makeDue(transaction, [...new Set(shared.flatMap(({ originId }) => originId ?? []))]);
  }

  /** Deletes entries that no caller can be answered from, and that no unfinished job leads; returns how many. */
  deleteExpired(limit: number): Promise<number> {
    return this.database.transaction(async (transaction) => {
      const [deleted]: [{ capture_id: string | null }[], number] = await transaction.query(DELETE_ENTRIES, [
        limit,
      ]);
      await this.files.makeDue(
        transaction,
        deleted.flatMap(({ capture_id }) => capture_id ?? []),
      );
      return deleted.length;
    });
  }
}

const DELETE_ENTRIES = `
  WITH expired AS MATERIALIZED (
    SELECT account_id, key FROM cache_entries
     WHERE kept_until < now()
       AND NOT EXISTS (SELECT FROM jobs AS leader WHERE leader.id = leader_id AND ${LEADS})
     ORDER BY kept_until LIMIT $1 FOR UPDATE OF cache_entries SKIP LOCKED)
  DELETE FROM cache_entries AS entry USING expired
   WHERE entry.account_id = expired.account_id AND entry.key = expired.key
  RETURNING entry.capture_id`;

const FORGET_CAPTURES = `
  WITH named AS MATERIALIZED (
    SELECT account_id, key FROM cache_entries WHERE capture_id = ANY($1) FOR UPDATE SKIP LOCKED)
  UPDATE cache_entries AS entry SET capture_id = NULL, captured_at = NULL
    FROM named WHERE entry.account_id = named.account_id AND entry.key = named.key`;
