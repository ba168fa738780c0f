import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from '@app/database';
import { JOB_STATUSES, selectRowSummary, type JobStatus } from '@app/jobs';
import { BATCH_FINISHED } from '../batch-state.js';

/** The rows of a batch by status. */
export type BatchRowCounts = Readonly<Record<JobStatus, number>>;

/** The counts of a batch, and those of its rows. */
export interface Difference {
  readonly batchId: string;
  readonly counted: BatchRowCounts;
  readonly actual: BatchRowCounts;
}

/** Batches that ended within this time are still compared. */
const ENDED_WITHIN = `interval '10 min'`;

const COUNTED = `jsonb_build_object(${JOB_STATUSES.map((status) => `'${status}', batch.${status}`).join(', ')})`;

/** With correct counts, these two columns follow from them. */
const IS_OFF = `(batch.queued + batch.running = 0 AND NOT batch.is_open) <> (batch.finished_at IS NOT NULL)
  OR (batch.finished_at IS NOT NULL) <> (batch.status IN ('completed', 'canceled'))`;

/**
 * Compares the counts of batches with their rows. The comparison is one statement and therefore sees one snapshot, in
 * which each transaction has happened completely or not at all: a difference is never an effect of timing.
 */
@Injectable()
export class BatchCountsRepository {
  constructor(private readonly source: DataSource) {}

  /** Unfinished and recently finished batches, in the order of their ids. */
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

  /** Lists the batches among these that differ from their rows. A finished batch with expired rows is not compared. */
  listDifferences(batchIds: readonly string[]): Promise<Difference[]> {
    return this.source.query(
      `SELECT batch.id AS "batchId", ${COUNTED} AS counted, actual.counts AS actual
         FROM batches batch
        CROSS JOIN LATERAL (${selectRowSummary('batch.id')}) AS actual
        WHERE batch.id = ANY($1) AND (batch.finished_at IS NULL OR actual.rows = batch.total)
          AND (${COUNTED} <> actual.counts OR ${IS_OFF})
        ORDER BY batch.id`,
      [batchIds],
    );
  }

  /**
   * Sets the columns of a batch to what its rows say. The batch is locked before its rows are counted: a transaction that
   * has moved a row meanwhile waits for the lock, and then adds its move to the corrected counts.
   */
  async correct(transaction: Transaction, batchId: string): Promise<void> {
    await transaction.query(`SELECT FROM batches WHERE id = $1 FOR NO KEY UPDATE`, [batchId]);
    // A separate statement, so that it sees what was committed before the lock was granted.
    const [[corrected]]: [{ ended: boolean }[]] = await transaction.query(
      `WITH actual AS (
         SELECT *, NOT (SELECT is_open FROM batches WHERE id = $1)
                   AND (counts->>'queued')::int + (counts->>'running')::int = 0 AS ended
           FROM (${selectRowSummary('$1')}) AS summary)
       UPDATE batches batch
          SET queued = (counts->>'queued')::int, running = (counts->>'running')::int,
              succeeded = (counts->>'succeeded')::int, failed = (counts->>'failed')::int,
              canceled = (counts->>'canceled')::int,
              started_at = coalesce(batch.started_at, actual.started_at),
              finished_at = CASE WHEN ended THEN
                coalesce(batch.finished_at, actual.finished_at, clock_timestamp()) END,
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
