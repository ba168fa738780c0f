import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from '@app/database';
import type { Job } from '../job/job.entity.js';
import type { PickableJob } from './fair-pick.js';
import type { DispatchedJob } from './job-priorities.js';

/** Rows of one line that a round reads in their order; beyond them it reads by hosts that are not busy. */
export const LOOK_AHEAD = 200;

/** The condition of the partial indexes jobs_waiting and jobs_waiting_by_host. */
export const WAITING = `status = 'queued' AND dispatched_at IS NULL AND follows_id IS NULL`;

/** The line in which a job waits: the rows of its batch, or the single jobs of its account. */
const LINE = 'coalesce(batch_id, account_id)';

const COLUMNS = `id, account_id AS "accountId", batch_id AS "batchId", host, timeout_ms AS "timeoutMs",
  cache_key AS "cacheKey", cache_status AS "cacheStatus"`;

export type WaitingJob = PickableJob & Pick<Job, 'timeoutMs' | 'cacheKey' | 'cacheStatus'>;
export type InFlightJob = DispatchedJob & Pick<Job, 'batchId' | 'host'>;

/** Jobs of one account that wait together: the rows of a batch, or its single jobs. */
export interface WaitingLine {
  readonly accountId: string;
  /** Null for single jobs. */
  readonly batchId: string | null;
}

/** How many jobs to read from a line, and which hosts to leave out. */
export interface LineQuery extends WaitingLine {
  readonly limit: number;
  readonly busyHosts: readonly string[];
}

/**
 * The rows of jobs as the dispatcher reads them. The cost of its statements depends on the number of lines and of jobs in
 * flight, not on the number of waiting jobs.
 */
@Injectable()
export class DispatchRepository {
  constructor(private readonly source: DataSource) {}

  async isAnyWaiting(): Promise<boolean> {
    // Without ORDER BY the planner may search for the row among all jobs, most of which have ended.
    const rows: unknown[] = await this.source.query(
      `SELECT FROM jobs WHERE ${WAITING} ORDER BY account_id LIMIT 1`,
    );
    return rows.length > 0;
  }

  /** Lists the background jobs that are in the queue or run, in the order in which they were dispatched. */
  async listInFlight(transaction: Transaction): Promise<InFlightJob[]> {
    return transaction.query(
      `SELECT id, account_id AS "accountId", batch_id AS "batchId", host, status, source, attempt FROM jobs
        WHERE status IN ('queued', 'running') AND dispatched_at IS NOT NULL AND source <> 'sync'
        ORDER BY dispatched_at, id`,
    );
  }

  /** Lists the lines by skipping through the index from line to line, without reading the waiting rows of each. */
  async listLines(transaction: Transaction): Promise<WaitingLine[]> {
    return transaction.query(
      `WITH RECURSIVE line AS (
         (SELECT account_id, ${LINE} AS id FROM jobs WHERE ${WAITING} ORDER BY account_id, ${LINE} LIMIT 1)
         UNION ALL
         SELECT next.* FROM line CROSS JOIN LATERAL (
           SELECT account_id, ${LINE} AS id FROM jobs
            WHERE ${WAITING} AND (account_id, ${LINE}) > (line.account_id, line.id)
            ORDER BY account_id, ${LINE} LIMIT 1) next)
       SELECT account_id AS "accountId", nullif(id, account_id) AS "batchId" FROM line`,
    );
  }

  /** Lists the oldest waiting jobs of each line; of a line whose first jobs all have busy hosts, those of other hosts. */
  async listNextOrBeyond(transaction: Transaction, lines: readonly LineQuery[]): Promise<WaitingJob[]> {
    const next = await this.listNext(transaction, lines);
    const found = Map.groupBy(next, ({ batchId, accountId }) => batchId ?? accountId);
    const blocked = lines.filter(({ batchId, accountId, busyHosts }) => {
      return busyHosts.length > 0 && !found.has(batchId ?? accountId);
    });
    return blocked.length > 0 ? [...next, ...(await this.listBeyond(transaction, blocked))] : next;
  }

  /** Lists the oldest waiting jobs of each line, `limit` of each, without those whose hosts are busy. */
  private async listNext(transaction: Transaction, lines: readonly LineQuery[]): Promise<WaitingJob[]> {
    return transaction.query(
      `SELECT next.* FROM ${LINES}
        CROSS JOIN LATERAL (
          SELECT ${COLUMNS} FROM (
            SELECT * FROM jobs
             WHERE account_id = line.account_id AND ${LINE} = line.id AND ${WAITING}
             ORDER BY created_at, batch_row, id LIMIT ${LOOK_AHEAD}) ahead
           WHERE host IS NULL OR host <> ALL(line.busy)
           ORDER BY created_at, batch_row, id LIMIT line.limit) next`,
      parametersOf(lines),
    );
  }

  /** Like `listNext`, but reads host by host beyond the first rows, so that rows of busy hosts cost nothing. */
  private async listBeyond(transaction: Transaction, lines: readonly LineQuery[]): Promise<WaitingJob[]> {
    return transaction.query(
      `SELECT next.* FROM ${LINES}
        CROSS JOIN LATERAL (
          WITH RECURSIVE visited AS (
            (SELECT coalesce(host, '') AS host FROM jobs
              WHERE account_id = line.account_id AND ${LINE} = line.id AND ${WAITING}
              ORDER BY coalesce(host, '') LIMIT 1)
            UNION ALL
            SELECT following.* FROM visited CROSS JOIN LATERAL (
              SELECT coalesce(host, '') AS host FROM jobs
               WHERE account_id = line.account_id AND ${LINE} = line.id AND ${WAITING}
                 AND coalesce(host, '') > visited.host
               ORDER BY coalesce(host, '') LIMIT 1) following)
          SELECT host FROM visited WHERE host <> ALL(line.busy) LIMIT line.limit) calm
        CROSS JOIN LATERAL (
          SELECT ${COLUMNS} FROM jobs
           WHERE account_id = line.account_id AND ${LINE} = line.id AND ${WAITING}
             AND coalesce(host, '') = calm.host
           ORDER BY created_at, batch_row, id LIMIT line.limit) next`,
      parametersOf(lines),
    );
  }

  /** Locks those of these jobs that still wait. A job that another transaction is canceling is skipped. */
  async lock(transaction: Transaction, ids: readonly string[]): Promise<Set<string>> {
    const rows: { id: string }[] = await transaction.query(
      `SELECT id FROM jobs WHERE id = ANY($1) AND ${WAITING} FOR UPDATE SKIP LOCKED`,
      [ids],
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** Marks these jobs as dispatched; returns those that still waited. */
  async dispatch(
    transaction: Transaction,
    ids: readonly string[],
  ): Promise<Pick<Job, 'id' | 'source' | 'attempt'>[]> {
    const [rows]: [Pick<Job, 'id' | 'source' | 'attempt'>[]] = await transaction.query(
      `UPDATE jobs SET dispatched_at = clock_timestamp() WHERE id = ANY($1) AND ${WAITING}
       RETURNING id, source, attempt`,
      [ids],
    );
    return rows;
  }
}

const LINES = `(
  SELECT (line ->> 'accountId')::uuid AS account_id, (line ->> 'id')::uuid AS id, (line ->> 'limit')::int AS "limit",
         ARRAY(SELECT jsonb_array_elements_text(line -> 'busyHosts')) AS busy
    FROM jsonb_array_elements($1::jsonb) AS line) line`;

function parametersOf(lines: readonly LineQuery[]): unknown[] {
  return [JSON.stringify(lines.map((line) => ({ ...line, id: line.batchId ?? line.accountId })))];
}
