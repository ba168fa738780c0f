import { Injectable } from '@nestjs/common';
import { DataSource, MoreThan } from 'typeorm';
import type { JobStatus } from '../job/job-state.js';
import { Job } from '../job/job.entity.js';

/** A row that failed, with what is needed to run it again. */
export type FailedRow = Pick<Job, 'batchRow' | 'options' | 'defaultNames'>;

/** How many rows workers ended in this time. */
export interface Pace {
  readonly rows: number;
  readonly spanS: number;
}

export interface StartedBatch {
  readonly id: string;
  readonly startedAt: Date;
}

export interface RowFilter {
  readonly status?: JobStatus;
  /** The row after which the page begins. */
  readonly after: number;
  readonly limit: number;
}

/** Rows in the pace: enough to even out single slow pages, few enough to follow a change. */
const PACE_ROWS = 100;

/** Reads the rows of batches. Pages begin in an index, at their first row. */
@Injectable()
export class BatchRowQueryRepository {
  constructor(private readonly source: DataSource) {}

  /** In row order, except for deleted records. */
  list(batchId: string, { status, after, limit }: RowFilter): Promise<Job[]> {
    const query = this.source
      .getRepository(Job)
      .createQueryBuilder('job')
      .where('job.batch_id = :batchId AND job.batch_row > :after AND NOT job.record_deleted', {
        batchId,
        after,
      })
      .orderBy('job.batchRow')
      .limit(limit);
    if (status) query.andWhere('job.status = :status', { status });
    return query.getMany();
  }

  /** Failed rows in row order. Rejected and deleted rows are left out, because they cannot be run again. */
  listFailed(batchId: string, afterRow: number, limit: number): Promise<FailedRow[]> {
    return this.source
      .getRepository(Job)
      .createQueryBuilder('job')
      .select(['job.id', 'job.batchRow', 'job.options', 'job.defaultNames'])
      .where({ batchId, status: 'failed', batchRow: MoreThan(afterRow) })
      .andWhere(`NOT (job.attempt = 0 AND job.error_code = 'invalid_request') AND job.deleted_at IS NULL`)
      .orderBy('job.batchRow')
      .limit(limit)
      .getMany();
  }

  /**
   * The pace of the latest rows of batches that started at these times, by the id of the batch. Rows that never reached a worker
   * are left out: they were not valid, or were canceled while they were queued. The span lasts up to now, so that it grows
   * while no row ends.
   */
  async readPaces(batches: readonly StartedBatch[]): Promise<Map<string, Pace>> {
    if (batches.length === 0) return new Map();
    const paces: (Pace & { readonly id: string })[] = await this.source.query(
      `SELECT batch.id, pace.*
         FROM unnest($1::uuid[], $2::timestamptz[]) AS batch (id, started_at),
              LATERAL (
                SELECT count(*)::int AS rows,
                       extract(epoch FROM clock_timestamp() -
                         CASE count(*) WHEN $3::int THEN min(finished_at) ELSE batch.started_at END)::float8 AS "spanS"
                  FROM (SELECT finished_at FROM jobs
                         WHERE batch_id = batch.id AND finished_at IS NOT NULL AND attempt > 0
                         ORDER BY finished_at DESC LIMIT $3) AS latest) AS pace`,
      [batches.map(({ id }) => id), batches.map(({ startedAt }) => startedAt), PACE_ROWS],
    );
    return new Map(paces.map(({ id, ...pace }) => [id, pace]));
  }
}
