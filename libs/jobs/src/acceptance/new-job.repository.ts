import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from '@app/database';
import type { Job } from '../job/job.entity.js';
import { jobOf } from '../job/job.repository.js';
import { MAX_PLACE } from '../dispatch/queue-position.repository.js';
import { COLUMNS, GIVEN_COLUMNS, GIVEN_VALUES, toGivenRow, type NewJob } from './new-job.js';

export interface Added {
  readonly job: Job;
  /** Single jobs of the account that waited before this statement. */
  readonly ahead: number;
}

/** Puts new jobs into the table: any number in one statement. */
@Injectable()
export class NewJobRepository {
  constructor(private readonly source: DataSource) {}

  /**
   * In the order of `jobs`. A synchronous job is told to the queue at once; any other waits for the dispatcher, behind
   * the single jobs of its account that wait already.
   */
  async addAll(transaction: Transaction, jobs: readonly NewJob[]): Promise<Added[]> {
    if (jobs.length === 0) return [];
    const rows: (Record<string, unknown> & { id: string; ahead: number })[] = await transaction.query(
      `WITH new AS (
         INSERT INTO jobs (${COLUMNS}, status, usage_period, dispatched_at, created_at)
         SELECT ${GIVEN_VALUES}, 'queued', usage_period,
                CASE source WHEN 'sync' THEN clock_timestamp() END, clock_timestamp()
           FROM json_to_recordset($1) AS given (${GIVEN_COLUMNS}, usage_period text)
         RETURNING *),
       line AS (
         SELECT account.id, (SELECT count(*)::int FROM (
                  SELECT FROM jobs
                   WHERE account_id = account.id AND coalesce(batch_id, account_id) = account.id
                     AND status = 'queued' AND dispatched_at IS NULL
                   LIMIT ${MAX_PLACE}) AS waiting) AS length
           FROM (SELECT DISTINCT account_id AS id FROM new WHERE dispatched_at IS NULL) AS account)
       SELECT new.*, coalesce(line.length, 0) AS ahead FROM new LEFT JOIN line ON line.id = new.account_id`,
      [JSON.stringify(jobs.map((job) => ({ ...toGivenRow(job), usage_period: job.usagePeriod })))],
    );
    const places = new Map(jobs.map(({ id }, place) => [id, place]));
    return rows
      .sort((a, b) => (places.get(a.id) ?? 0) - (places.get(b.id) ?? 0))
      .map((row) => ({ job: jobOf(this.source, row), ahead: row.ahead }));
  }
}
