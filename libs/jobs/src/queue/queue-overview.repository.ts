import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { IS_WAITING, type JobSource } from '../job/job-state.js';
import { LINE, MAX_COUNTED } from './job-backlog.repository.js';
import { LANE_OF, type Lane } from './lanes.js';

/** The jobs of one account that wait in the database. */
export interface WaitingOfAccount {
  readonly accountId: string;
  /** Counted up to MAX_COUNTED. */
  readonly jobs: number;
  readonly oldestAt: Date;
}

/** The jobs of one account for one host that wait in the database. */
export interface WaitingForHost {
  readonly accountId: string;
  readonly host: string | null;
  readonly jobs: number;
  readonly oldestAt: Date;
}

/** The jobs of one account for one host that are in the queue or run. */
export interface InFlightForHost extends WaitingForHost {
  readonly state: 'dispatched' | 'running';
}

/** A capture that a worker runs. */
export interface RunningJob {
  readonly id: string;
  readonly accountId: string;
  readonly workerId: string;
  readonly host: string | null;
  readonly lane: Lane;
  readonly startedAt: Date;
}

/** More accounts than this are not read, whatever waits. */
export const MAX_ACCOUNTS = 100;

/** More lines of an account are not read: those that were accepted first have been waiting the longest. */
const MAX_LINES = 20;
/** Jobs of each line whose hosts are read. */
const HOSTS_OF_LINE = 50;
/** More running captures than any number of workers that makes sense. */
const MAX_RUNNING = 2_000;

/**
 * What waits and runs, by account and host, for operators. Each statement reads a bounded number of entries of partial
 * indexes that finished jobs are not in, however many jobs wait.
 */
@Injectable()
export class QueueOverviewRepository {
  constructor(private readonly source: DataSource) {}

  /** The accounts whose jobs wait in the database, in the order of their ids; or one account. */
  listWaitingAccounts(accountId?: string): Promise<WaitingOfAccount[]> {
    return this.source.query(
      `${ACCOUNTS}
       SELECT account.id AS "accountId", oldest.at AS "oldestAt",
              (SELECT count(*) FROM (
                 SELECT FROM jobs WHERE ${IS_WAITING} AND account_id = account.id LIMIT ${MAX_COUNTED}) AS counted)::int AS jobs
         FROM found AS account, LATERAL (SELECT min(created_at) AS at FROM (${LINES}) AS lines) AS oldest`,
      [accountId, MAX_ACCOUNTS],
    );
  }

  /** The hosts of the jobs that wait in the database, of the first jobs of each line. */
  listWaitingHosts(accountId?: string): Promise<WaitingForHost[]> {
    return this.source.query(
      `${ACCOUNTS}
       SELECT account.id AS "accountId", first.host, count(*)::int AS jobs, min(first.created_at) AS "oldestAt"
         FROM found AS account, LATERAL (${LINES}) AS line, LATERAL (${FIRST_OF_LINE}) AS first
        WHERE first.line = line.line
        GROUP BY 1, 2 ORDER BY 1, 2`,
      [accountId, MAX_ACCOUNTS],
    );
  }

  /** What is in the queue and what runs: as much as slots and callers permit. */
  listInFlight(accountId?: string): Promise<InFlightForHost[]> {
    return this.source.query(
      `SELECT account_id AS "accountId", host, CASE status WHEN 'queued' THEN 'dispatched' ELSE 'running' END AS state,
              count(*)::int AS jobs, min(created_at) AS "oldestAt"
         FROM jobs
        WHERE status IN ('queued', 'running') AND dispatched_at IS NOT NULL AND account_id = coalesce($1, account_id)
        GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
      [accountId],
    );
  }

  /** The captures that run, the longest first. */
  async listRunning(): Promise<RunningJob[]> {
    const rows: (Omit<RunningJob, 'lane'> & { source: JobSource })[] = await this.source.query(
      `SELECT id, account_id AS "accountId", worker_id AS "workerId", host, source, started_at AS "startedAt"
         FROM jobs WHERE status = 'running' AND worker_id IS NOT NULL ORDER BY started_at LIMIT ${MAX_RUNNING}`,
    );
    return rows.map(({ source, ...job }) => ({ ...job, lane: LANE_OF[source] }));
  }
}

/**
 * Finds the accounts whose jobs wait, by one index step for each: $1 is the only one or null, $2 their greatest number. Only the index of
 * waiting jobs has this order.
 */
const ACCOUNTS = `
  WITH RECURSIVE waiting AS (
    (SELECT account_id AS id FROM jobs
      WHERE ${IS_WAITING} AND account_id >= coalesce($1::uuid, '00000000-0000-0000-0000-000000000000')
      ORDER BY account_id, ${LINE}, created_at LIMIT 1)
    UNION ALL
    SELECT next.account_id FROM waiting, LATERAL (
      SELECT account_id FROM jobs
       WHERE ${IS_WAITING} AND account_id > waiting.id AND $1::uuid IS NULL
       ORDER BY account_id, ${LINE}, created_at LIMIT 1) AS next
  ), found AS (SELECT id FROM waiting WHERE $1::uuid IS NULL OR id = $1 LIMIT $2)`;

/** The lines of an account, those that were accepted first, each with the time of its oldest job. */
const LINES = `
  WITH RECURSIVE line AS (
    (SELECT ${LINE} AS line, created_at FROM jobs WHERE ${IS_WAITING} AND account_id = account.id
      ORDER BY account_id, ${LINE}, created_at LIMIT 1)
    UNION ALL
    SELECT next.* FROM line, LATERAL (
      SELECT ${LINE} AS line, created_at FROM jobs
       WHERE ${IS_WAITING} AND account_id = account.id AND ${LINE} > line.line
       ORDER BY account_id, ${LINE}, created_at LIMIT 1) AS next
  ) SELECT line, created_at FROM line LIMIT ${MAX_LINES}`;

/**
 * The first jobs of a line, and of those after it if it has fewer: a condition of equality has the planner sort all jobs of the line,
 * of which it expects few.
 */
const FIRST_OF_LINE = `
  SELECT ${LINE} AS line, host, created_at FROM jobs
   WHERE ${IS_WAITING} AND account_id = account.id AND ${LINE} >= line.line
   ORDER BY account_id, ${LINE}, created_at LIMIT ${HOSTS_OF_LINE}`;
