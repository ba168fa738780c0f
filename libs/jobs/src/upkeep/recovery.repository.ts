import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Job } from '../job/job.entity.js';

/** An attempt whose lease has expired. */
export type AbandonedAttempt = Pick<Job, 'id' | 'attempt' | 'source' | 'format' | 'requestId' | 'workerId'>;

export interface UnclaimedJob extends Pick<Job, 'id' | 'attempt' | 'source' | 'timeoutMs'> {
  /** That of its entry if it is known, else the jobs in flight of the account that were dispatched no later; at least 1. */
  readonly priority: number;
}

/** The rows that a crash may have left behind. */
@Injectable()
export class RecoveryRepository {
  constructor(private readonly source: DataSource) {}

  /** Lists attempts whose leases have expired. */
  async listAbandoned(limit: number): Promise<AbandonedAttempt[]> {
    return this.source.query(
      `SELECT id, attempt, source, format, request_id AS "requestId", worker_id AS "workerId" FROM jobs
        WHERE status = 'running' AND lease_until < clock_timestamp() ORDER BY lease_until LIMIT $1`,
      [limit],
    );
  }

  /** Lists jobs that were dispatched more than `ageMs` ago and that no worker has taken, oldest first. */
  async listUnclaimed(ageMs: number, limit: number): Promise<UnclaimedJob[]> {
    // The first two conditions, and those on `before`, match the index jobs_in_flight.
    return this.source.query(
      `SELECT id, attempt, source, timeout_ms AS "timeoutMs",
              coalesce(priority, greatest(1, (SELECT count(*) FROM jobs before
                 WHERE before.account_id = jobs.account_id
                   AND before.status IN ('queued', 'running') AND before.dispatched_at <= jobs.dispatched_at)))::int AS priority
         FROM jobs
        WHERE status IN ('queued', 'running') AND dispatched_at IS NOT NULL
          AND status = 'queued' AND dispatched_at < clock_timestamp() - $1 * interval '1 ms'
        ORDER BY dispatched_at LIMIT $2`,
      [ageMs, limit],
    );
  }
}
