import { Injectable } from '@nestjs/common';
import type { Transaction } from '@app/database';
import { Job } from '../job/job.entity.js';
import { canceledFor } from '../job/job.repository.js';
import { sourcesOf, type CancelReason } from '../job/job-state.js';
import { SIGNALS, type Signal } from '../signals/signals.js';

/** A row of a batch that has not ended, as it is while it is locked. */
export interface OpenRow {
  readonly jobId: string;
  readonly accountId: string;
  /** Of the allowance that it is reserved in. */
  readonly period: string;
  /** A worker has it. */
  readonly isRunning: boolean;
  /** It has a place in the queue, and a slot. */
  readonly isInFlight: boolean;
}

/** The jobs of a batch, as many at once as there are. */
@Injectable()
export class OpenRowRepository {
  /** Locks the rows that have not ended, in the order of their ids; one that ends meanwhile is left out. */
  lockOpen(transaction: Transaction, batchId: string): Promise<OpenRow[]> {
    return transaction.query(
      `SELECT id AS "jobId", account_id AS "accountId", usage_period AS period, status = 'running' AS "isRunning",
              dispatched_at IS NOT NULL AS "isInFlight"
         FROM jobs WHERE batch_id = $1 AND status = ANY($2) ORDER BY id FOR UPDATE`,
      [batchId, sourcesOf('canceled')],
    );
  }

  /** queued | running → canceled, of all rows that have not ended; they are locked already */
  async cancelOpen(transaction: Transaction, batchId: string, reason: CancelReason): Promise<void> {
    await transaction
      .createQueryBuilder()
      .update(Job)
      .set(canceledFor(reason))
      .where('batch_id = :batchId AND status = ANY(:from)', { batchId, from: sourcesOf('canceled') })
      .execute();
  }

  /** Tells all processes of each, when and if the transaction commits. */
  async signal(transaction: Transaction, signal: Signal, jobIds: readonly string[]): Promise<void> {
    await transaction.query(`SELECT pg_notify($1, id) FROM unnest($2::text[]) AS id`, [
      SIGNALS[signal],
      jobIds,
    ]);
  }
}
