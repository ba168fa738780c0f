import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from '@app/database';
import type { Job } from '../job/job.entity.js';
import { jobOf } from '../job/job.repository.js';
import { IS_WAITING } from '../job/job-state.js';
import { MAX_POSITION } from '../job/queue-position.repository.js';
import { COLUMNS, ROW_COLUMNS, ROW_VALUES, toRow, type NewJob } from './new-job.js';

/** A new job, and the priority of its queue entry if it is added to the queue at once. */
export type NumberedJob = NewJob & Partial<Pick<Job, 'priority'>>;

export interface InsertedJob {
  readonly job: Job;
  /** Single jobs of the account that waited before this statement. */
  readonly waitingBefore: number;
}

/** Inserts new jobs, any number in one statement. */
@Injectable()
export class NewJobRepository {
  constructor(private readonly source: DataSource) {}

  /**
   * Returns the jobs in the order of `jobs`. A synchronous job counts as dispatched at once; any other waits for the
   * dispatcher, behind the single jobs of its account that already wait.
   *
   * @param periodOf the period of the allowance in which an account's units were reserved
   */
  async insert(
    transaction: Transaction,
    jobs: readonly NumberedJob[],
    periodOf: (accountId: string) => string | undefined,
  ): Promise<InsertedJob[]> {
    if (jobs.length === 0) return [];
    const rows: (Record<string, unknown> & { id: string; waiting_before: number })[] =
      await transaction.query(
        `WITH new AS (
         INSERT INTO jobs (${COLUMNS}, status, usage_period, priority, dispatched_at, created_at)
         SELECT ${ROW_VALUES}, 'queued', usage_period, priority,
                CASE source WHEN 'sync' THEN clock_timestamp() END, clock_timestamp()
           FROM json_to_recordset($1) AS input (${ROW_COLUMNS}, usage_period text, priority integer)
         RETURNING *),
       line AS (
         SELECT account.id, (SELECT count(*)::int FROM (
                  SELECT FROM jobs
                   WHERE account_id = account.id AND coalesce(batch_id, account_id) = account.id
                     AND ${IS_WAITING}
                   LIMIT ${MAX_POSITION}) AS waiting) AS length
           FROM (SELECT DISTINCT account_id AS id FROM new WHERE dispatched_at IS NULL) AS account)
       SELECT new.*, coalesce(line.length, 0) AS waiting_before
         FROM new LEFT JOIN line ON line.id = new.account_id`,
        [JSON.stringify(jobs.map((job) => toInsertedRow(job, periodOf(job.accountId))))],
      );
    const order = new Map(jobs.map(({ id }, index) => [id, index]));
    return rows
      .sort((a, b) => (order.get(a.id) ?? 0) - (order.get(b.id) ?? 0))
      .map((row) => ({ job: jobOf(this.source, row), waitingBefore: row.waiting_before }));
  }

  /** Removes jobs that the same transaction has inserted. */
  async remove(transaction: Transaction, ids: readonly string[]): Promise<void> {
    await transaction.query(`DELETE FROM jobs WHERE id = ANY($1)`, [ids]);
  }
}

function toInsertedRow(job: NumberedJob, usage_period: string | undefined): Record<string, unknown> {
  return { ...toRow(job), usage_period, priority: job.priority };
}
