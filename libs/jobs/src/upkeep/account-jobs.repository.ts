import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from '@app/database';
import { ATTEMPTED } from './job-expiry.repository.js';
import type { AttemptedJob } from '../job/result-files.js';

/** Files that several records of an account showed. */
export interface SharedKeys {
  readonly id: string;
  readonly keys: readonly string[];
}

/** What one account has of jobs, for its deletion. Everything is found by the account, so that a run goes on where one was killed. */
@Injectable()
export class AccountJobsRepository {
  constructor(private readonly source: DataSource) {}

  /** Some of the jobs that have not ended. */
  async listUnfinished(accountId: string, limit: number): Promise<string[]> {
    const rows: { id: string }[] = await this.source.query(
      `SELECT id FROM jobs WHERE account_id = $1 AND status IN ('queued', 'running') ORDER BY id LIMIT $2`,
      [accountId, limit],
    );
    return rows.map(({ id }) => id);
  }

  /**
   * Some of the records for which no worker can still be storing a file.
   *
   * @param uploadsS seconds after the end of a job in which a worker may do so
   */
  listSettled(accountId: string, uploadsS: number, limit: number): Promise<AttemptedJob[]> {
    return this.source.query(
      `SELECT ${ATTEMPTED} FROM jobs
        WHERE account_id = $1 AND finished_at IS NOT NULL
          AND (attempt = 0 OR status = 'succeeded' OR finished_at < now() - $2 * interval '1 s')
        LIMIT $3`,
      [accountId, uploadsS, limit],
    );
  }

  async hasRecords(accountId: string): Promise<boolean> {
    const [row] = await this.source.query<{ found: boolean }[]>(
      `SELECT EXISTS (SELECT FROM jobs WHERE account_id = $1) AS found`,
      [accountId],
    );
    return row?.found === true;
  }

  listShared(accountId: string, limit: number): Promise<SharedKeys[]> {
    return this.source.query(`SELECT id, keys FROM shared_files WHERE account_id = $1 ORDER BY id LIMIT $2`, [
      accountId,
      limit,
    ]);
  }

  /** Forgets shared files that the store has deleted. */
  async removeShared(ids: readonly string[]): Promise<void> {
    await this.source.query(`DELETE FROM shared_files WHERE id = ANY ($1)`, [ids]);
  }

  /** Deletes what is left when there are no records: the cache, which holds shared files, and keys and statistics. */
  async removeRest(transaction: Transaction, accountId: string): Promise<void> {
    // Deleted hours are taken from the days, which are therefore deleted after them.
    for (const table of ['cache_entries', 'idempotency_keys', 'job_hours', 'job_days', 'job_hours_stale']) {
      await transaction.query(`DELETE FROM ${table} WHERE account_id = $1`, [accountId]);
    }
  }
}
