import { Injectable } from '@nestjs/common';
import { DatabaseService, type Transaction } from '@app/database';
import type { Job } from '../job/job.entity.js';
import { SharedFilesRepository } from './shared-files.repository.js';

/** Makes the cache forget what has expired. */
@Injectable()
export class CacheExpiryRepository {
  constructor(
    private readonly database: DatabaseService,
    private readonly files: SharedFilesRepository,
  ) {}

  /** Deletes entries that no caller can be answered from, and that no unfinished job leads; returns how many. */
  deleteEntries(limit: number): Promise<number> {
    return this.database.transaction(async (transaction) => {
      const [deleted]: [{ capture_id: string | null }[], number] = await transaction.query(DELETE_ENTRIES, [
        limit,
      ]);
      await this.files.check(
        transaction,
        deleted.flatMap(({ capture_id }) => capture_id ?? []),
      );
      return deleted.length;
    });
  }

  /**
   * Belongs to the transaction in which these rows stop showing files. A capture whose own row has none answers for nobody.
   * An entry that another process has locked keeps naming it, which does no harm, and expires later.
   */
  async release(transaction: Transaction, rows: readonly Pick<Job, 'id' | 'originId'>[]): Promise<void> {
    const shared = rows.filter(({ originId }) => originId !== null);
    if (shared.length === 0) return;
    await transaction.query(FORGET_CAPTURES, [shared.map(({ id }) => id)]);
    await this.files.check(transaction, [...new Set(shared.flatMap(({ originId }) => originId ?? []))]);
  }
}

const DELETE_ENTRIES = `
  WITH expired AS MATERIALIZED (
    SELECT account_id, key FROM cache_entries
     WHERE kept_until < now()
       AND NOT EXISTS (SELECT FROM jobs WHERE jobs.id = leader_id AND jobs.status IN ('queued', 'running'))
     ORDER BY kept_until LIMIT $1 FOR UPDATE OF cache_entries SKIP LOCKED)
  DELETE FROM cache_entries AS entry USING expired
   WHERE entry.account_id = expired.account_id AND entry.key = expired.key
  RETURNING entry.capture_id`;

const FORGET_CAPTURES = `
  WITH named AS MATERIALIZED (
    SELECT account_id, key FROM cache_entries WHERE capture_id = ANY($1) FOR UPDATE SKIP LOCKED)
  UPDATE cache_entries AS entry SET capture_id = NULL, captured_at = NULL
    FROM named WHERE entry.account_id = named.account_id AND entry.key = named.key`;
