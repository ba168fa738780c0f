import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DatabaseService, type Transaction } from '@app/database';
import { KeptCaptureRepository } from '../cache/kept-capture.repository.js';
import type { Job } from '../job/job.entity.js';
import { FINAL_STATUSES } from '../job/job-state.js';
import { EPOCH, NIL, type Page } from '../job/page.js';
import type { AttemptedJob } from '../job/result-files.js';

/** The position of a job in the order in which jobs ended. */
export type EndedAt = { readonly id: string; readonly finishedAt: Date };

export type ExpiringFile = AttemptedJob & { readonly expiresAt: Date };
export type EndedJob = AttemptedJob & EndedAt;
export type AgedRecord = EndedJob & {
  /** Whether the record is no longer needed. */
  readonly isDue: boolean;
  /** Whether an attempt may have left a file. */
  readonly mayHaveFiles: boolean;
};

/**
 * Lists expired files and records page by page, by indexes in the order of their expiry. A row that cannot be deleted is
 * skipped, so that it does not block those after it.
 */
@Injectable()
export class JobExpiryRepository {
  constructor(
    private readonly source: DataSource,
    private readonly database: DatabaseService,
    private readonly cache: KeptCaptureRepository,
  ) {}

  /** Lists jobs whose files have expired. */
  listExpiredFiles({ limit, after }: Page<ExpiringFile>): Promise<ExpiringFile[]> {
    return this.source.query(
      `SELECT ${ATTEMPTED}, expires_at AS "expiresAt" FROM jobs
        WHERE result_key IS NOT NULL AND expires_at < now() AND (expires_at, id) > ($2::timestamptz, $3::uuid)
        ORDER BY expires_at, id LIMIT $1`,
      [limit, after?.expiresAt ?? EPOCH, after?.id ?? NIL],
    );
  }

  /** These jobs no longer have files. Shared ones are deleted when no other record shows them. */
  forgetFiles(ids: readonly string[]): Promise<void> {
    return this.database.transaction(async (transaction) => {
      const [forgotten]: [Shown[], number] = await transaction.query(
        `UPDATE jobs SET result_key = NULL WHERE id = ANY($1) RETURNING id, origin_id AS "originId"`,
        [ids],
      );
      await this.cache.release(transaction, forgotten);
    });
  }

  /** Jobs that ended more than `agedS` ago, may have files that no row names, and were not swept yet. */
  listOrphanedFiles(agedS: number, limit: number): Promise<EndedJob[]> {
    return this.source.query(
      `SELECT ${ATTEMPTED}, finished_at AS "finishedAt" FROM jobs
        WHERE finished_at IS NOT NULL AND attempt > 0 AND (attempt > 1 OR status <> 'succeeded')
          AND (finished_at, id) > (SELECT finished_at, id FROM job_orphaned_files_swept)
          AND finished_at < now() - $1 * interval '1 s'
        ORDER BY finished_at, id LIMIT $2`,
      [agedS, limit],
    );
  }

  /** Records that the orphaned files of all jobs up to this one are deleted. */
  async markSwept({ finishedAt, id }: EndedAt): Promise<void> {
    await this.source.query(`UPDATE job_orphaned_files_swept SET finished_at = $1, id = $2`, [
      finishedAt,
      id,
    ]);
  }

  /**
   * Lists the records of jobs that ended more than `ttlS` seconds ago. A record is due unless
   * - its batch has an unfinished job, because a batch is reported as a whole; or
   * - the sum of its hour is not final: the hour is not summed up yet, is marked as stale, or has an unfinished job that
   *   will mark it. The sum, which outlives the rows, would be made without this record.
   */
  listAgedRecords(ttlS: number, { limit, after }: Page<EndedAt>): Promise<AgedRecord[]> {
    return this.source.query(AGED_RECORDS, [ttlS, limit, after?.finishedAt ?? EPOCH, after?.id ?? NIL]);
  }

  /** Deletes the records among these that are final. The hourly statistics still count them. */
  async deleteRecords(transaction: Transaction, ids: readonly string[]): Promise<void> {
    await transaction.query(`SELECT set_config('capture.expiring', 'on', true)`);
    const [deleted]: [Shown[], number] = await transaction.query(
      `DELETE FROM jobs WHERE id = ANY($1) AND status = ANY($2) RETURNING id, origin_id AS "originId"`,
      [ids, FINAL_STATUSES],
    );
    await transaction.query(`SELECT set_config('capture.expiring', 'off', true)`);
    await this.cache.release(transaction, deleted);
  }
}

type Shown = Pick<Job, 'id' | 'originId'>;

/** The columns from which the names of a job's files follow. */
export const ATTEMPTED = `id, attempt, format, other_extensions AS "otherExtensions", result_key AS "resultKey",
  origin_id AS "originId"`;
const UNFINISHED = `job.status IN ('queued', 'running')`;

const AGED_RECORDS = `
  WITH aged AS MATERIALIZED (
    SELECT id, attempt, format, other_extensions, result_key, origin_id, status, account_id, batch_id, finished_at,
           date_trunc('hour', created_at, 'UTC') AS hour
      FROM jobs
     WHERE finished_at < now() - $1 * interval '1 s' AND (finished_at, id) > ($3::timestamptz, $4::uuid)
     ORDER BY finished_at, id LIMIT $2),
  open_batches AS MATERIALIZED (
    SELECT batch_id FROM (SELECT DISTINCT batch_id FROM aged WHERE batch_id IS NOT NULL) AS batches
     WHERE EXISTS (SELECT FROM jobs AS job WHERE job.batch_id = batches.batch_id AND ${UNFINISHED})),
  open_hours AS MATERIALIZED (
    SELECT account_id, hour FROM (SELECT DISTINCT account_id, hour FROM aged) AS hours
     WHERE hour >= (SELECT until FROM job_hours_summed)
        OR EXISTS (SELECT FROM job_hours_stale AS stale
                    WHERE stale.account_id = hours.account_id AND stale.hour = hours.hour)
        OR EXISTS (SELECT FROM jobs AS job
                    WHERE job.account_id = hours.account_id AND ${UNFINISHED}
                      AND job.created_at >= hours.hour AND job.created_at < hours.hour + interval '1 hour'))
  SELECT ${ATTEMPTED}, finished_at AS "finishedAt",
         (result_key IS NOT NULL OR attempt > 1 OR status <> 'succeeded') AS "mayHaveFiles",
         NOT (EXISTS (SELECT FROM open_batches WHERE open_batches.batch_id = aged.batch_id)
              OR EXISTS (SELECT FROM open_hours
                          WHERE open_hours.account_id = aged.account_id AND open_hours.hour = aged.hour)) AS "isDue"
    FROM aged ORDER BY finished_at, id`;
