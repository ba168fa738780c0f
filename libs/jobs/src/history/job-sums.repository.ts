import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { bucketSql } from './latency.js';

/** Any constant that no other advisory lock of ours has. */
const SUMMING_LOCK = 7_346_002;
/** Days that one transaction sums up, when there is a backlog: it must not stay open for long. */
const STEP_DAYS = 7;
const STALE_HOURS_PER_STEP = 500;

/**
 * Sums up the finished jobs of each hour, so that statistics need not read every row.
 *
 *   until    every hour before it is summed up. It advances to the last full hour, but never past the beginning of
 *            an open transaction, which may still add or finish a row unseen.
 *   stale    a summed hour in which a row was finished, added or deleted afterwards (marked by triggers of `jobs`).
 *            It is read from its rows until it is summed up again, once no row of it is unfinished.
 *
 * Unfinished jobs are never part of a sum. Marks are removed before rows are read: one that is set in between stays.
 * Marks in use are skipped, never waited for, so no capture's end waits in a circle.
 */
@Injectable()
export class JobSums {
  constructor(private readonly source: DataSource) {}

  /** Sums up what can be. Cheap when there is nothing to do; several processes may call it at once. */
  async bringUpToDate(): Promise<void> {
    while (await this.source.transaction((transaction) => this.step(transaction))) {
      // Each step is a transaction of its own; the work done so far stays.
    }
  }

  /** Whether there may be more to do. */
  private async step(transaction: EntityManager): Promise<boolean> {
    const [lock] = await query<{ taken: boolean }>(
      transaction,
      `SELECT pg_try_advisory_xact_lock($1) AS taken`,
      [SUMMING_LOCK],
    );
    if (lock?.taken !== true) return false;
    return (await this.advance(transaction)) || (await this.refresh(transaction));
  }

  private async advance(transaction: EntityManager): Promise<boolean> {
    const [step] = await query<{ from: Date; to: Date }>(transaction, NEXT_STEP);
    if (!step) return false;
    const span = [step.from, step.to];
    await transaction.query(
      `DELETE FROM job_hours_stale WHERE (account_id, hour) IN (
         SELECT account_id, hour FROM job_hours_stale WHERE hour >= $1 AND hour < $2 FOR UPDATE SKIP LOCKED)`,
      span,
    );
    await transaction.query(sumUp(`SELECT id, $1::timestamptz, $2::timestamptz FROM accounts`), span);
    await transaction.query(`UPDATE job_hours_summed SET until = $1`, [step.to]);
    return true;
  }

  private async refresh(transaction: EntityManager): Promise<boolean> {
    const stale = await query<{ account_id: string; hour: Date }>(transaction, TAKE_STALE_HOURS);
    if (stale.length === 0) return false;
    const hours = [stale.map((row) => row.account_id), stale.map((row) => row.hour)];
    for (const table of ['job_hours', 'job_hour_latencies']) {
      await transaction.query(
        `DELETE FROM ${table} WHERE (account_id, hour) IN (SELECT * FROM unnest($1::uuid[], $2::timestamptz[]))`,
        hours,
      );
    }
    const spans = `SELECT account_id, hour, hour + interval '1 hour' FROM unnest($1::uuid[], $2::timestamptz[]) AS stale (account_id, hour)`;
    await transaction.query(sumUp(spans), hours);
    return stale.length === STALE_HOURS_PER_STEP;
  }
}

/** now() is the beginning of this transaction: whoever is not seen here begins, and makes rows, after it. */
const NEXT_STEP = `
  SELECT until AS "from", least(until + interval '${STEP_DAYS} days', bound) AS "to"
    FROM job_hours_summed,
         (SELECT date_trunc('hour', least(now(), min(xact_start)), 'UTC') AS bound
            FROM pg_stat_activity
           WHERE datname = current_database() AND backend_type = 'client backend'
             AND pid <> pg_backend_pid()) AS open
   WHERE until < bound`;

const TAKE_STALE_HOURS = `
  WITH ripe AS (
    SELECT account_id, hour FROM job_hours_stale AS stale
     WHERE hour < (SELECT until FROM job_hours_summed)
       AND NOT EXISTS (
         SELECT FROM jobs
          WHERE account_id = stale.account_id AND status IN ('queued', 'running')
            AND created_at >= stale.hour AND created_at < stale.hour + interval '1 hour')
     LIMIT ${STALE_HOURS_PER_STEP} FOR UPDATE SKIP LOCKED),
  taken AS (
    DELETE FROM job_hours_stale WHERE (account_id, hour) IN (SELECT account_id, hour FROM ripe)
    RETURNING account_id, hour)
  SELECT account_id, hour FROM taken`;

/** One statement, so that counts and latencies are of the same rows. `spans` yields (account, from, to). */
function sumUp(spans: string): string {
  return `
  WITH span (account_id, from_at, to_at) AS (${spans}),
  finished AS MATERIALIZED (
    SELECT job.account_id, date_trunc('hour', job.created_at, 'UTC') AS hour, job.source, job.status, job.format,
           coalesce(job.error_code, '') AS error_code, job.bytes, job.queue_ms, job.total_ms
      FROM span JOIN jobs AS job ON job.account_id = span.account_id
       AND job.created_at >= span.from_at AND job.created_at < span.to_at
     WHERE job.status NOT IN ('queued', 'running')),
  counts AS (
    INSERT INTO job_hours (account_id, hour, source, status, format, error_code, captures, bytes)
    SELECT account_id, hour, source, status, format, error_code, count(*), coalesce(sum(bytes), 0)
      FROM finished GROUP BY account_id, hour, source, status, format, error_code)
  INSERT INTO job_hour_latencies (account_id, hour, metric, bucket, captures)
  SELECT account_id, hour, metric, ${bucketSql('ms')}, count(*)
    FROM finished, LATERAL (VALUES ('queue_ms', queue_ms), ('total_ms', total_ms)) AS latency (metric, ms)
   WHERE ms IS NOT NULL GROUP BY 1, 2, 3, 4`;
}

async function query<Row>(manager: EntityManager, sql: string, values: unknown[] = []): Promise<Row[]> {
  return manager.query(sql, values);
}
