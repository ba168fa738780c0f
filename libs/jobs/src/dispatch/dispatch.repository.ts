import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from '@app/database';
import type { Job } from '../job/job.entity.js';
import type { Waiting } from './fair-pick.js';
import type { Dispatched } from './job-priorities.js';

/** Rows of one line that a round looks at in their order; behind them it looks for hosts that are not busy. */
const LOOK_AHEAD = 200;

/** As the partial indexes jobs_waiting and jobs_waiting_by_host have it. */
const WAITING = `status = 'queued' AND dispatched_at IS NULL`;

/** Where a job waits: with the other rows of its batch, or with the single jobs of its account. */
const LINE = 'coalesce(batch_id, account_id)';

const COLUMNS = `id, account_id AS "accountId", batch_id AS "batchId", host, timeout_ms AS "timeoutMs"`;

export type WaitingJob = Waiting & Pick<Job, 'timeoutMs'>;
export type InFlightJob = Dispatched & Pick<Job, 'batchId' | 'host'>;

/** Jobs of one account that wait together: the rows of a batch, or its single jobs. */
export interface Line {
  readonly accountId: string;
  /** Null for single jobs. */
  readonly batchId: string | null;
}

/** What is asked of a line. */
export interface LineQuery extends Line {
  readonly most: number;
  readonly busyHosts: readonly string[];
}

/**
 * The rows of jobs as the dispatcher sees them. What it asks costs as much as there are accounts with waiting jobs and
 * jobs in flight, however many wait.
 */
@Injectable()
export class DispatchRepository {
  constructor(private readonly source: DataSource) {}

  async isAnyWaiting(): Promise<boolean> {
    // Ordered, or it would look for the first such row among all rows that have ended.
    const rows: unknown[] = await this.source.query(
      `SELECT FROM jobs WHERE ${WAITING} ORDER BY account_id LIMIT 1`,
    );
    return rows.length > 0;
  }

  /** Background jobs that the queue or a worker has, in the order in which they were dispatched. */
  async listInFlight(transaction: Transaction): Promise<InFlightJob[]> {
    return transaction.query(
      `SELECT id, account_id AS "accountId", batch_id AS "batchId", host, status, source, attempt FROM jobs
        WHERE status IN ('queued', 'running') AND dispatched_at IS NOT NULL AND source <> 'sync'
        ORDER BY dispatched_at, id`,
    );
  }

  /** Goes from line to line through the index, and not through the waiting rows of each. */
  async listLines(transaction: Transaction): Promise<Line[]> {
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

  /** The first waiting jobs of each line, oldest first, `most` of each, but for those of its busy hosts. */
  async listNext(transaction: Transaction, lines: readonly LineQuery[]): Promise<WaitingJob[]> {
    return transaction.query(
      `SELECT next.* FROM ${LINES}
        CROSS JOIN LATERAL (
          SELECT ${COLUMNS} FROM (
            SELECT * FROM jobs
             WHERE account_id = line.account_id AND ${LINE} = line.id AND ${WAITING}
             ORDER BY created_at, batch_row, id LIMIT ${LOOK_AHEAD}) ahead
           WHERE host IS NULL OR host <> ALL(line.busy)
           ORDER BY created_at, batch_row, id LIMIT line.most) next`,
      parametersOf(lines),
    );
  }

  /** As `listNext`, but behind the first rows, and host by host: what it costs does not grow with the rows of busy hosts. */
  async listBeyond(transaction: Transaction, lines: readonly LineQuery[]): Promise<WaitingJob[]> {
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
          SELECT host FROM visited WHERE host <> ALL(line.busy) LIMIT line.most) calm
        CROSS JOIN LATERAL (
          SELECT ${COLUMNS} FROM jobs
           WHERE account_id = line.account_id AND ${LINE} = line.id AND ${WAITING}
             AND coalesce(host, '') = calm.host
           ORDER BY created_at, batch_row, id LIMIT line.most) next`,
      parametersOf(lines),
    );
  }

  /** Those of these jobs that still wait, locked. One that is being canceled is left out instead of waited for. */
  async lock(transaction: Transaction, ids: readonly string[]): Promise<Set<string>> {
    const rows: { id: string }[] = await transaction.query(
      `SELECT id FROM jobs WHERE id = ANY($1) AND ${WAITING} FOR UPDATE SKIP LOCKED`,
      [ids],
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** Those of these jobs that are in flight now, with the attempt that is to come. */
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
  SELECT (line ->> 'accountId')::uuid AS account_id, (line ->> 'id')::uuid AS id, (line ->> 'most')::int AS most,
         ARRAY(SELECT jsonb_array_elements_text(line -> 'busyHosts')) AS busy
    FROM jsonb_array_elements($1::jsonb) AS line) line`;

function parametersOf(lines: readonly LineQuery[]): unknown[] {
  return [JSON.stringify(lines.map((line) => ({ ...line, id: line.batchId ?? line.accountId })))];
}
