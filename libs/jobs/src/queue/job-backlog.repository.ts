import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { IS_WAITING } from '../job/job-state.js';
import { LANES, type Lane } from './lanes.js';

/** The states of an unfinished job: it waits in the database, is in the queue, or runs. */
export const BACKLOG_STATES = ['waiting', 'dispatched', 'running'] as const;
export type BacklogState = (typeof BACKLOG_STATES)[number];

/** The unfinished jobs of one lane in one state. */
export interface Backlog {
  readonly lane: Lane;
  readonly state: BacklogState;
  readonly jobs: number;
  /** Seconds for which the oldest of these jobs has been in this state; 0 when there is none. */
  readonly oldestS: number;
}

/** The unfinished jobs of one account. */
export interface AccountBacklog {
  readonly waiting: number;
  readonly running: number;
  /** Age of the oldest job that waits, in seconds; null when none does. */
  readonly ageS: number | null;
}

/**
 * The captures that wait in the queue and should start next, by lane. Each is given as its number among the captures of its
 * account, after those that run: 1 if its account runs none. Null while none waits.
 */
export type NextInLanes = Readonly<Record<Lane, number | null>>;

/** A job that failed waits this long at most for its next attempt; only then it waits for a worker. */
const LONGEST_BACKOFF_MS = 2_000;

/** Counting stops here: a scrape must cost the same whatever waits, and an operator acts the same at either number. */
export const MAX_COUNTED = 10_000;

/**
 * The unfinished jobs of all accounts. Reading them is cheap even with a million jobs: finished jobs are in neither index,
 * the jobs in flight are limited by slots and callers, and waiting jobs are counted up to a limit, the oldest one found by
 * one index step for each line.
 */
@Injectable()
export class JobBacklogRepository {
  constructor(private readonly source: DataSource) {}

  /** Counts the jobs of both lanes that are in the queue, and those that run. */
  async readInFlight(): Promise<{ readonly dispatched: number; readonly running: number }> {
    const found: Backlog[] = await this.source.query(IN_FLIGHT);
    const count = (state: BacklogState): number =>
      found.reduce((sum, each) => sum + (each.state === state ? each.jobs : 0), 0);
    return { dispatched: count('dispatched'), running: count('running') };
  }

  /** Returns one entry for each lane and state. */
  async read(): Promise<Backlog[]> {
    const found: Backlog[] = await this.source.query(`${WAITING} UNION ALL ${IN_FLIGHT}`, [MAX_COUNTED]);
    return LANES.flatMap((lane) =>
      BACKLOG_STATES.map(
        (state) =>
          found.find((each) => each.lane === lane && each.state === state) ?? {
            lane,
            state,
            jobs: 0,
            oldestS: 0,
          },
      ),
    );
  }

  /** The unfinished jobs of one account, of which at most MAX_COUNTED are counted. */
  async readOf(accountId: string): Promise<AccountBacklog> {
    const [row]: [AccountBacklog] = await this.source.query(
      `SELECT count(*) FILTER (WHERE status = 'queued')::int AS waiting,
              count(*) FILTER (WHERE status = 'running')::int AS running,
              extract(epoch FROM clock_timestamp() - min(created_at) FILTER (WHERE status = 'queued'))::float8 AS "ageS"
         FROM (SELECT status, created_at FROM jobs WHERE account_id = $1 AND status IN ('queued', 'running')
                LIMIT $2) AS unfinished`,
      [accountId, MAX_COUNTED],
    );
    return row;
  }

  /** Reads which captures wait for a worker. Those that wait for a retry do not count. */
  async readNext(): Promise<NextInLanes> {
    const [next]: [NextInLanes] = await this.source.query(NEXT, [LONGEST_BACKOFF_MS]);
    return next;
  }
}

/** Each batch of an account is a line of its own; its single jobs form another. */
export const LINE = 'coalesce(batch_id, account_id)';

/** Synchronous captures are added to the queue by the API at once, so that none of them waits in the database. */
const WAITING = `
  SELECT 'background' AS lane, 'waiting' AS state,
         (SELECT count(*) FROM (SELECT FROM jobs WHERE ${IS_WAITING} LIMIT $1) AS counted)::int AS jobs,
         (WITH RECURSIVE first AS (
            (SELECT account_id, ${LINE} AS line, created_at FROM jobs WHERE ${IS_WAITING}
              ORDER BY account_id, ${LINE}, created_at LIMIT 1)
            UNION ALL
            SELECT next.* FROM first, LATERAL (
              SELECT account_id, ${LINE} AS line, created_at FROM jobs
               WHERE ${IS_WAITING} AND (account_id, ${LINE}) > (first.account_id, first.line)
               ORDER BY account_id, ${LINE}, created_at LIMIT 1) AS next
          )
          SELECT coalesce(extract(epoch FROM clock_timestamp() - min(created_at)), 0) FROM first)::float8 AS "oldestS"`;

// The last condition of the inner query is that of the index jobs_in_flight.
const NEXT = `
  SELECT min(number) FILTER (WHERE interactive)::int AS interactive,
         min(number) FILTER (WHERE background)::int AS background
    FROM (SELECT count(*) FILTER (WHERE status = 'running') + 1 AS number,
                 bool_or(is_waiting AND source = 'sync') AS interactive,
                 bool_or(is_waiting AND source <> 'sync') AS background
            FROM (SELECT account_id, status, source, status = 'queued' AND (
                           failures = 0 OR dispatched_at < clock_timestamp() - $1 * interval '1 ms') AS is_waiting
                    FROM jobs WHERE status IN ('queued', 'running') AND dispatched_at IS NOT NULL) AS in_flight
           GROUP BY account_id) AS accounts`;

const IN_FLIGHT = `
  SELECT CASE source WHEN 'sync' THEN 'interactive' ELSE 'background' END AS lane,
         CASE status WHEN 'queued' THEN 'dispatched' ELSE 'running' END AS state,
         count(*)::int AS jobs,
         extract(epoch FROM clock_timestamp() -
           min(CASE status WHEN 'queued' THEN dispatched_at ELSE started_at END))::float8 AS "oldestS"
    FROM jobs
   WHERE status IN ('queued', 'running') AND dispatched_at IS NOT NULL
   GROUP BY 1, 2`;
