import { Injectable } from '@nestjs/common';
import type { Transaction } from '@app/database';
import { UsageService } from '@app/usage';
import type { CancelReason } from '../job/job-state.js';
import { OpenRowRepository, type OpenRow } from './open-row.repository.js';

/**
 * Ends the jobs of a batch as one. Locks come in the order in which every end of a job takes them (see the table in
 * libs/usage), each kind by its ids: so it waits for whoever ends a row, and never in a circle.
 */
@Injectable()
export class BatchCancellationService {
  constructor(
    private readonly repository: OpenRowRepository,
    private readonly usage: UsageService,
  ) {}

  /** The rows that have not ended. Nobody else moves them until the transaction ends. */
  lockOpen(transaction: Transaction, batchId: string): Promise<OpenRow[]> {
    return this.repository.lockOpen(transaction, batchId);
  }

  /**
   * Cancels rows that `lockOpen` returned, and all that belongs to their end: units and slots go back, workers that run
   * one are told, and so is whoever waits for one that had left the line.
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
    await this.repository.signal(transaction, 'canceled', idsOf(running));
    // Of the others only who looks at one of them by itself would hear it, and that one polls, too.
    await this.repository.signal(transaction, 'finished', idsOf(inFlight));
  }
}

function idsOf(rows: readonly OpenRow[]): string[] {
  return rows.map(({ jobId }) => jobId);
}
