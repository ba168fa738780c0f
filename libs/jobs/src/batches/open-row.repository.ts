import { Injectable } from '@nestjs/common';
import type { Transaction } from '@app/database';
import { Job } from '../job/job.entity.js';
import { canceledFor } from '../job/job.repository.js';
import { sourcesOf, type CancelReason } from '../job/job-state.js';

/** A row that has not ended, as it is while it is locked. */
export interface OpenRow {
  readonly jobId: string;
  readonly accountId: string;
  /** The allowance period that its unit is reserved in. */
  readonly period: string;
  /** A worker runs it. */
  readonly isRunning: boolean;
  /** It is in the queue, and holds a slot. */
  readonly isInFlight: boolean;
}

/** Locks and cancels all unfinished rows of a batch at once. */
@Injectable()
export class OpenRowRepository {
  /** Locks the rows that have not ended, in the order of their ids. A row that ends before it is locked is left out. */
  lockOpen(transaction: Transaction, batchId: string): Promise<OpenRow[]> {
    return transaction.query(
      `SELECT id AS "jobId", account_id AS "accountId", usage_period AS period, status = 'running' AS "isRunning",
              dispatched_at IS NOT NULL AS "isInFlight"
         FROM jobs WHERE batch_id = $1 AND status = ANY($2) ORDER BY id FOR UPDATE`,
      [batchId, sourcesOf('canceled')],
    );
  }

  /** queued | running → canceled for all open rows, which `lockOpen` has locked. */
  async cancelOpen(transaction: Transaction, batchId: string, reason: CancelReason): Promise<void> {
    await transaction
      .createQueryBuilder()
      .update(Job)
      .set(canceledFor(reason))
      .where('batch_id = :batchId AND status = ANY(:from)', { batchId, from: sourcesOf('canceled') })
      .execute();
  }
}
