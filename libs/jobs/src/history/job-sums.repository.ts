import { Injectable } from '@nestjs/common';
import { DatabaseService, type Transaction } from '@app/database';
import { ALL_ACCOUNT_IDS } from '@app/usage';
import { BYTES_OF_JOB, MEASURES_OF_JOB } from './measures.js';

/** The days that one transaction sums up when there is a backlog; a longer one would stay open for too long. */
const STEP_DAYS = 7;
const HOUR_MS = 3_600_000;

/**
 * Sums up the finished jobs of each hour, so that statistics need not read every row. Triggers add up the hours of a day.
 *
 *   until    every hour before this time is summed up. It advances to the last full hour, but never past the start of an
 *            open transaction, which may still add or finish a row that others do not see yet.
 *   stale    marks a summed hour in which a row was finished, added or deleted later (by triggers of `jobs`). The hour is
 *            read from its rows until it is summed up again, when all of its jobs have finished.
 *
 * Unfinished jobs are never part of a sum. A mark is deleted before the rows are read, so that a mark which is set in
 * between stays. A locked mark is skipped, so that summing up never deadlocks with the end of a capture.
 */
@Injectable()
export class JobSumsRepository {
  constructor(private readonly database: DatabaseService) {}

  /** Sums up all hours that can be. It is cheap when there is nothing to do, and may run in several processes at once. */
  async bringUpToDate(): Promise<void> {
    let more: boolean | null = true;
    // Each step is a transaction of its own, so that its work is not lost when a later one fails.
    while (more) more = await this.database.tryLockedTransaction('sum', step);
  }
}

/** Returns whether there may be more to do. */
async function step(transaction: Transaction): Promise<boolean> {
  return (await advance(transaction)) || (await refresh(transaction));
}

async function advance(transaction: Transaction): Promise<boolean> {
  const [next]: { from: Date; to: Date }[] = await transaction.query(NEXT_STEP);
  if (!next) return false;
  const span = [next.from, next.to];
  await transaction.query(
    `DELETE FROM job_hours_stale WHERE (account_id, hour) IN (
       SELECT account_id, hour FROM job_hours_stale WHERE hour >= $1 AND hour < $2 FOR UPDATE SKIP LOCKED)`,
    span,
  );
  // By account, which is the first column of the index of jobs.
  await transaction.query(sumUp(`account_id IN (${ALL_ACCOUNT_IDS})`), span);
  await transaction.query(`UPDATE job_hours_summed SET until = $1`, [next.to]);
  return true;
}

/** Sums up the stale hours of one account and day, which share one scan of the unfinished jobs. */
async function refresh(transaction: Transaction): Promise<boolean> {
  const [stale]: [{ account_id: string; hour: Date }[], number] = await transaction.query(TAKE_STALE_HOURS);
  const accountId = stale[0]?.account_id;
  if (accountId === undefined) return false;
  const hours = stale.map(({ hour }) => hour);
  await transaction.query(`DELETE FROM job_hours WHERE account_id = $1 AND hour = ANY($2)`, [
    accountId,
    hours,
  ]);
  for (const hour of hours) {
    const end = new Date(hour.getTime() + HOUR_MS);
    await transaction.query(sumUp(`account_id = $3`), [hour, end, accountId]);
  }
  return true;
}

/** now() is the start of this transaction; a transaction that is not seen here starts later, and so do its rows. */
const NEXT_STEP = `
  SELECT until AS "from", least(until + interval '${STEP_DAYS} days', bound) AS "to"
    FROM job_hours_summed,
         (SELECT date_trunc('hour', least(now(), min(xact_start)), 'UTC') AS bound
            FROM pg_stat_activity
           WHERE datname = current_database() AND backend_type = 'client backend'
             AND pid <> pg_backend_pid()) AS open
   WHERE until < bound`;

/** Older marks come first, because they are hardly ever locked; locked ones are taken in the next minute. */
const TAKE_STALE_HOURS = `
  WITH unfinished AS MATERIALIZED (
    SELECT DISTINCT account_id, date_trunc('hour', created_at, 'UTC') AS hour FROM jobs
     WHERE account_id IN (SELECT account_id FROM job_hours_stale) AND status IN ('queued', 'running')),
  settled AS MATERIALIZED (
    SELECT account_id, hour, date_trunc('day', hour, 'UTC') AS day FROM job_hours_stale AS stale
     WHERE hour < (SELECT until FROM job_hours_summed)
       AND NOT EXISTS (SELECT FROM unfinished
                        WHERE unfinished.account_id = stale.account_id AND unfinished.hour = stale.hour)),
  first AS (SELECT account_id, day FROM settled ORDER BY hour LIMIT 1)
  DELETE FROM job_hours_stale WHERE (account_id, hour) IN (
    SELECT account_id, hour FROM job_hours_stale
     WHERE (account_id, hour) IN (SELECT account_id, hour FROM settled JOIN first USING (account_id, day))
       FOR UPDATE SKIP LOCKED)
  RETURNING account_id, hour`;

function sumUp(condition: string): string {
  return `
  INSERT INTO job_hours (account_id, hour, measure, value, captures, bytes)
  SELECT account_id, date_trunc('hour', created_at, 'UTC'), measure, value, count(*), sum(${BYTES_OF_JOB})
    FROM jobs, ${MEASURES_OF_JOB}
   WHERE ${condition} AND created_at >= $1 AND created_at < $2
     AND status NOT IN ('queued', 'running') AND value IS NOT NULL
   GROUP BY 1, 2, 3, 4`;
}
