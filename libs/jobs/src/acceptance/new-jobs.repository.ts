import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from '@app/database';
import type { Job } from '../job.entity.js';
import { jobOf } from '../job.repository.js';
import { MAX_PLACE } from '../waiting-line.repository.js';

export type NewJob = Pick<
  Job,
  | 'id'
  | 'accountId'
  | 'source'
  | 'reference'
  | 'batchId'
  | 'batchRow'
  | 'url'
  | 'host'
  | 'format'
  | 'options'
  | 'secrets'
  | 'timeoutMs'
  | 'webhookUrl'
  | 'requestId'
  | 'usagePeriod'
>;

export interface Added {
  readonly job: Job;
  /** Jobs of the account that waited before this statement. */
  readonly ahead: number;
}

/** Puts new jobs into the table: any number in one statement. */
@Injectable()
export class NewJobs {
  constructor(private readonly source: DataSource) {}

  /**
   * In the order of `jobs`. A synchronous job is told to the queue at once; any other waits for the dispatcher, behind
   * those of its account that wait already.
   */
  async addAll(transaction: Transaction, jobs: readonly NewJob[]): Promise<Added[]> {
    if (jobs.length === 0) return [];
    const rows: (Record<string, unknown> & { id: string; ahead: number })[] = await transaction.query(
      `WITH new AS (
         INSERT INTO jobs (id, account_id, source, status, reference, batch_id, batch_row, url, host, format, options,
                           secrets, timeout_ms, webhook_url, request_id, usage_period, dispatched_at, created_at)
         SELECT id, account_id, source, 'queued', reference, batch_id, batch_row, url, host, format, options,
                decode(secrets, 'base64'), timeout_ms, webhook_url, request_id, usage_period,
                CASE source WHEN 'sync' THEN clock_timestamp() END, clock_timestamp()
           FROM json_to_recordset($1) AS given (
                id uuid, account_id uuid, source text, reference text, batch_id uuid, batch_row integer, url text,
                host text, format text, options jsonb, secrets text, timeout_ms integer, webhook_url text,
                request_id text, usage_period text)
         RETURNING *),
       line AS (
         SELECT account.id, (SELECT count(*)::int FROM (
                  SELECT FROM jobs WHERE account_id = account.id AND status = 'queued' AND dispatched_at IS NULL
                   LIMIT ${MAX_PLACE}) AS waiting) AS length
           FROM (SELECT DISTINCT account_id AS id FROM new WHERE dispatched_at IS NULL) AS account)
       SELECT new.*, coalesce(line.length, 0) AS ahead FROM new LEFT JOIN line ON line.id = new.account_id`,
      [JSON.stringify(jobs.map(toRow))],
    );
    const places = new Map(jobs.map(({ id }, place) => [id, place]));
    return rows
      .sort((a, b) => (places.get(a.id) ?? 0) - (places.get(b.id) ?? 0))
      .map((row) => ({ job: jobOf(this.source, row), ahead: row.ahead }));
  }
}

function toRow(job: NewJob): Record<string, unknown> {
  return {
    id: job.id,
    account_id: job.accountId,
    source: job.source,
    reference: job.reference,
    batch_id: job.batchId,
    batch_row: job.batchRow,
    url: job.url,
    host: job.host,
    format: job.format,
    options: job.options,
    secrets: job.secrets?.toString('base64'),
    timeout_ms: job.timeoutMs,
    webhook_url: job.webhookUrl,
    request_id: job.requestId,
    usage_period: job.usagePeriod,
  };
}
