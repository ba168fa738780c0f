import { Injectable } from '@nestjs/common';
import type { Transaction } from '@app/database';
import { UsageService } from '@app/usage';
import type { CancelReason } from '../job/job-state.js';
import { sendSignal } from '../signals/signals.js';
import { OpenRowRepository, type OpenRow } from './open-row.repository.js';

/**
 * Cancels all jobs of a batch in one transaction. It takes locks in the same order as every other end of a job (see the
 * table in libs/usage), and those of one kind in the order of their ids, so that it never deadlocks.
 */
@Injectable()
export class BatchCancellationService {
  constructor(
    private readonly repository: OpenRowRepository,
    private readonly usage: UsageService,
  ) {}

  /** Locks the rows that have not ended, until the transaction ends. */
  lockOpen(transaction: Transaction, batchId: string): Promise<OpenRow[]> {
    return this.repository.lockOpen(transaction, batchId);
  }

  /**
   * Cancels the rows that `lockOpen` returned: releases their units and slots, signals the workers that run some of them,
   * and signals the end of those that were in flight.
   */
  async cancel(
    transaction: Transaction,
    { batchId, rows }: { readonly batchId: string; readonly rows: readonly OpenRow[] },
    reason: CancelReason,
  ): Promise<void> {
    if (rows.length === 0) return;
    await this.repository.cancelOpen(transaction, batchId, reason);
    await this.usage.release(transaction, rows);
    const running = rows.filter(({ isRunning }) => isRunning);
    const inFlight = rows.filter(({ isInFlight }) => isInFlight);
    await sendSignal(transaction, 'canceled', idsOf(running));
    // A queued row that was not dispatched has no listener but a caller who watches it, and watching polls as well.
    await sendSignal(transaction, 'finished', idsOf(inFlight));
  }
}

function idsOf(rows: readonly OpenRow[]): string[] {
  return rows.map(({ jobId }) => jobId);
}
