import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { LANES, type Lane } from '../queue/queues.js';

/** Where an unfinished job is: in the database, in the queue, or in a worker's hands. */
export const BACKLOG_STATES = ['waiting', 'dispatched', 'running'] as const;
export type BacklogState = (typeof BACKLOG_STATES)[number];

/** The unfinished jobs of one lane in one state. */
export interface Backlog {
  readonly lane: Lane;
  readonly state: BacklogState;
  readonly jobs: number;
  /** Seconds for which the oldest of them has been in this state; 0 when there is none. */
  readonly oldestS: number;
}

/** Counting goes no further: a scrape must not walk a million rows, and an operator acts the same at either number. */
export const MOST_COUNTED = 100_000;

/**
 * How many captures the service has before it, of all accounts. Cheap with a million jobs: what is finished is in
 * neither index, what is in flight is bounded by slots and callers, and what waits is counted to a limit, its oldest
 * found by one step of the index for each line of them.
 */
@Injectable()
export class JobBacklogRepository {
  constructor(private readonly source: DataSource) {}

  /** One entry for each lane and state. */
  async read(): Promise<Backlog[]> {
    const found: Backlog[] = await this.source.query(`${WAITING} UNION ALL ${IN_FLIGHT}`, [MOST_COUNTED]);
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

  /** Whether a synchronous capture waits for a worker. One that has failed and is tried again later does not count. */
  async isSomebodyWaiting(): Promise<boolean> {
    // The conditions on the second line are those of the index jobs_in_flight.
    const rows: unknown[] = await this.source.query(
      `SELECT FROM jobs WHERE source = 'sync' AND status = 'queued' AND failures = 0
          AND status IN ('queued', 'running') AND dispatched_at IS NOT NULL LIMIT 1`,
    );
    return rows.length > 0;
  }
}

// Jobs that somebody waits for are put into the queue by the API at once, so none of them is among these.
const IS_WAITING = `status = 'queued' AND dispatched_at IS NULL`;

/** Each batch of an account waits in a line of its own, and its single jobs in one. */
const LINE = 'coalesce(batch_id, account_id)';

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

const IN_FLIGHT = `
  SELECT CASE source WHEN 'sync' THEN 'interactive' ELSE 'background' END,
         CASE status WHEN 'queued' THEN 'dispatched' ELSE 'running' END,
         count(*)::int,
         extract(epoch FROM clock_timestamp() -
           min(CASE status WHEN 'queued' THEN dispatched_at ELSE started_at END))::float8
    FROM jobs
   WHERE status IN ('queued', 'running') AND dispatched_at IS NOT NULL
   GROUP BY 1, 2`;
