import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from '@app/database';
import type { Job } from '../job/job.entity.js';
import { IS_WAITING } from '../job/job-state.js';
import { LANE_OF, type Lane } from '../queue/lanes.js';
import type { PickableJob } from './fair-pick.js';
import type { DispatchedJob, JobPriority } from './job-priorities.js';

/** Rows of one line that a round reads in their order; beyond them it reads by hosts that are not busy. */
export const LOOK_AHEAD = 200;

/** The condition of the partial index jobs_in_flight. */
const IN_FLIGHT = `status IN ('queued', 'running') AND dispatched_at IS NOT NULL`;

/** The line in which a job waits: the rows of its batch, or the single jobs of its account. */
const LINE = 'coalesce(batch_id, account_id)';

const COLUMNS = `id, account_id AS "accountId", batch_id AS "batchId", host, timeout_ms AS "timeoutMs",
  cache_key AS "cacheKey", cache_status AS "cacheStatus"`;

export type WaitingJob = PickableJob & Pick<Job, 'timeoutMs' | 'cacheKey' | 'cacheStatus'>;
export type InFlightJob = DispatchedJob & Pick<Job, 'batchId' | 'host'>;
/** The jobs that are in the queue or run, in the order in which they were added to the queue. */
export type InFlightJobs = Readonly<Record<Lane, readonly InFlightJob[]>>;

/** Whether a round has anything to do. */
export interface Demand {
  /** A job waits in the database. */
  readonly isAnyWaiting: boolean;
  /** A synchronous capture waits that was not the first of its account when it was added to the queue. */
  readonly isAnyBehind: boolean;
}

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

  async readDemand(): Promise<Demand> {
    // Without ORDER BY the planner may search for the rows among all jobs, most of which have ended.
    const [demand]: [Demand] = await this.source.query(
      `SELECT EXISTS (SELECT FROM jobs WHERE ${IS_WAITING} ORDER BY account_id LIMIT 1) AS "isAnyWaiting",
              EXISTS (SELECT FROM jobs WHERE ${IN_FLIGHT} AND status = 'queued' AND source = 'sync'
                         AND priority IS DISTINCT FROM 1 ORDER BY account_id LIMIT 1) AS "isAnyBehind"`,
    );
    return demand;
  }

  async listInFlight(transaction: Transaction): Promise<InFlightJobs> {
    const jobs: InFlightJob[] = await transaction.query(
      `SELECT id, account_id AS "accountId", batch_id AS "batchId", host, status, source, attempt, priority FROM jobs
        WHERE ${IN_FLIGHT} ORDER BY dispatched_at, id`,
    );
    const { interactive = [], background = [] } = Object.groupBy(jobs, ({ source }) => LANE_OF[source]);
    return { interactive, background };
  }

  /** Notes the priorities that the queue has now. A job that a worker has taken in the meantime needs none. */
  async keepPriorities(changed: readonly JobPriority[]): Promise<void> {
    await this.source.query(
      // Skips jobs that are being moved, and locks the others in the order of their ids, as the cancellation of a batch does.
      `WITH locked AS MATERIALIZED (
         SELECT jobs.id, changed.priority FROM jobs
           JOIN unnest($1::uuid[], $2::int[]) AS changed (id, priority) USING (id)
          WHERE status = 'queued' ORDER BY jobs.id FOR NO KEY UPDATE OF jobs SKIP LOCKED)
       UPDATE jobs SET priority = locked.priority FROM locked WHERE jobs.id = locked.id`,
      [changed.map(({ job }) => job.id), changed.map(({ priority }) => priority)],
    );
  }

  /** Lists the lines by skipping through the index from line to line, without reading the waiting rows of each. */
  async listLines(transaction: Transaction): Promise<WaitingLine[]> {
    return transaction.query(
      `WITH RECURSIVE line AS (
         (SELECT account_id, ${LINE} AS id FROM jobs WHERE ${IS_WAITING} ORDER BY account_id, ${LINE} LIMIT 1)
         UNION ALL
         SELECT next.* FROM line CROSS JOIN LATERAL (
           SELECT account_id, ${LINE} AS id FROM jobs
            WHERE ${IS_WAITING} AND (account_id, ${LINE}) > (line.account_id, line.id)
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
             WHERE account_id = line.account_id AND ${LINE} = line.id AND ${IS_WAITING}
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
              WHERE account_id = line.account_id AND ${LINE} = line.id AND ${IS_WAITING}
              ORDER BY coalesce(host, '') LIMIT 1)
            UNION ALL
            SELECT following.* FROM visited CROSS JOIN LATERAL (
              SELECT coalesce(host, '') AS host FROM jobs
               WHERE account_id = line.account_id AND ${LINE} = line.id AND ${IS_WAITING}
                 AND coalesce(host, '') > visited.host
               ORDER BY coalesce(host, '') LIMIT 1) following)
          SELECT host FROM visited WHERE host <> ALL(line.busy) LIMIT line.limit) calm
        CROSS JOIN LATERAL (
          SELECT ${COLUMNS} FROM jobs
           WHERE account_id = line.account_id AND ${LINE} = line.id AND ${IS_WAITING}
             AND coalesce(host, '') = calm.host
           ORDER BY created_at, batch_row, id LIMIT line.limit) next`,
      parametersOf(lines),
    );
  }

  /** Locks the jobs among these that still wait. A job that another transaction is canceling is skipped. */
  async lock(transaction: Transaction, ids: readonly string[]): Promise<Set<string>> {
    const rows: { id: string }[] = await transaction.query(
      `SELECT id FROM jobs WHERE id = ANY($1) AND ${IS_WAITING} FOR UPDATE SKIP LOCKED`,
      [ids],
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** Marks these jobs as dispatched with their priorities; returns those that still waited. */
  async dispatch(transaction: Transaction, priorities: ReadonlyMap<string, number>): Promise<JobPriority[]> {
    const [rows]: [(JobPriority['job'] & { priority: number })[]] = await transaction.query(
      `UPDATE jobs SET dispatched_at = clock_timestamp(), priority = picked.priority
         FROM unnest($1::uuid[], $2::int[]) AS picked (picked_id, priority)
        WHERE id = picked_id AND ${IS_WAITING}
       RETURNING id, source, attempt, jobs.priority`,
      [[...priorities.keys()], [...priorities.values()]],
    );
    return rows.map(({ priority, ...job }) => ({ job, priority }));
  }
}

const LINES = `(
  SELECT (line ->> 'accountId')::uuid AS account_id, (line ->> 'id')::uuid AS id, (line ->> 'limit')::int AS "limit",
         ARRAY(SELECT jsonb_array_elements_text(line -> 'busyHosts')) AS busy
    FROM jsonb_array_elements($1::jsonb) AS line) line`;

function parametersOf(lines: readonly LineQuery[]): unknown[] {
  return [JSON.stringify(lines.map((line) => ({ ...line, id: line.batchId ?? line.accountId })))];
}
