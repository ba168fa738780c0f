import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from '@app/database';
import { BATCH_FINISHED } from '../following/batch-finished.js';

/** The rows of a batch by status. */
export interface BatchRowCounts {
  readonly queued: number;
  readonly running: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly canceled: number;
}

/** A batch as it was counted, and what its rows say. */
export interface Difference {
  readonly batchId: string;
  readonly counted: BatchRowCounts;
  readonly actual: BatchRowCounts;
}

/** Batches that ended so recently are still compared. */
const ENDED_WITHIN = `interval '10 min'`;

const JSON_OF = (of: (status: string) => string): string =>
  `jsonb_build_object(${['queued', 'running', 'succeeded', 'failed', 'canceled']
    .map((status) => `'${status}', ${of(status)}`)
    .join(', ')})`;

const ACTUAL = JSON_OF((status) => `count(*) FILTER (WHERE job.status = '${status}')`);
const COUNTED = JSON_OF((status) => `batch.${status}`);

/** A batch whose counts are right says by them whether it is over. */
const IS_OFF = `(batch.queued + batch.running = 0) <> (batch.finished_at IS NOT NULL)
  OR (batch.finished_at IS NOT NULL) <> (batch.status IN ('completed', 'canceled'))`;

/**
 * Compares what batches count with their rows. The comparison is one statement, and so looks at one instant, at which all
 * transactions have happened as a whole or not at all: what it finds is not a matter of timing.
 */
@Injectable()
export class BatchCountsRepository {
  constructor(private readonly source: DataSource) {}

  /** Batches in the order of their ids that are to be compared: unfinished ones, and those that ended lately. */
  async listComparable(after: string, limit: number): Promise<string[]> {
    const rows: { id: string }[] = await this.source.query(
      `SELECT id FROM (
         SELECT id FROM batches WHERE status IN ('queued', 'running')
          UNION SELECT id FROM batches WHERE finished_at > now() - ${ENDED_WITHIN}) AS comparable
        WHERE id > $1 ORDER BY id LIMIT $2`,
      [after, limit],
    );
    return rows.map(({ id }) => id);
  }

  /** Those of these batches that are not as their rows say; one that lost rows to their age is not compared. */
  listDifferences(batchIds: readonly string[]): Promise<Difference[]> {
    return this.source.query(
      `SELECT batch.id AS "batchId", ${COUNTED} AS counted, actual.counts AS actual
         FROM batches batch
        CROSS JOIN LATERAL (
          SELECT ${ACTUAL} AS counts, count(*) AS rows FROM jobs job WHERE job.batch_id = batch.id) AS actual
        WHERE batch.id = ANY($1) AND (batch.finished_at IS NULL OR actual.rows = batch.total)
          AND (${COUNTED} <> actual.counts OR ${IS_OFF})
        ORDER BY batch.id`,
      [batchIds],
    );
  }

  /**
   * Brings a batch to what its rows say. It is locked before they are counted: whoever has moved one of them meanwhile
   * waits to count it, and then adds to what is right.
   */
  async correct(transaction: Transaction, batchId: string): Promise<void> {
    await transaction.query(`SELECT FROM batches WHERE id = $1 FOR NO KEY UPDATE`, [batchId]);
    // A statement of its own, after the lock: what was committed until then is seen.
    const [[corrected]]: [{ ended: boolean }[]] = await transaction.query(
      `WITH actual AS (
         SELECT ${ACTUAL} AS counts, max(finished_at) AS ended_at, min(started_at) AS started_at,
                count(*) FILTER (WHERE status IN ('queued', 'running')) = 0 AS ended
           FROM jobs job WHERE batch_id = $1)
       UPDATE batches batch
          SET queued = (counts->>'queued')::int, running = (counts->>'running')::int,
              succeeded = (counts->>'succeeded')::int, failed = (counts->>'failed')::int,
              canceled = (counts->>'canceled')::int,
              started_at = coalesce(batch.started_at, actual.started_at),
              finished_at = CASE WHEN ended THEN coalesce(batch.finished_at, ended_at, clock_timestamp()) END,
              status = CASE
                WHEN ended AND batch.status = 'canceled' THEN 'canceled'
                WHEN ended THEN 'completed'
                WHEN coalesce(batch.started_at, actual.started_at) IS NULL THEN 'queued'
                ELSE 'running' END
         FROM actual WHERE batch.id = $1
       RETURNING ended`,
      [batchId],
    );
    if (corrected?.ended === true)
      await transaction.query(`SELECT pg_notify($1, $2)`, [BATCH_FINISHED, batchId]);
  }
}
