import { Injectable } from '@nestjs/common';
import { DatabaseService, type Transaction } from '@app/database';
import { BatchCancellationService, type CancelReason } from '@app/jobs';
import { AppError, isId } from '@app/kernel';
import type { Batch } from './batch.entity.js';
import { BatchRepository } from './batch.repository.js';
import { isOver } from './batch-state.js';
import { BatchWatchService } from './progress/batch-watch.service.js';

/** Who cancels a batch, and what is recorded in the same transaction when this has ended it. */
interface Cancellation {
  readonly reason: CancelReason;
  readonly record?: (transaction: Transaction) => Promise<void>;
}

/** Finds, awaits and cancels accepted batches. */
@Injectable()
export class BatchesService {
  constructor(
    private readonly database: DatabaseService,
    private readonly repository: BatchRepository,
    private readonly cancellation: BatchCancellationService,
    private readonly watch: BatchWatchService,
  ) {}

  /** @throws AppError `not_found` for an unknown id and for a batch of another account alike */
  async find(accountId: string, id: string): Promise<Batch> {
    const batch = isId(id) ? await this.repository.findOfAccount(accountId, id) : null;
    if (!batch) throw new AppError('not_found', { detail: 'There is no batch with this id.' });
    return batch;
  }

  /**
   * A batch of any account, for operators.
   *
   * @throws AppError `not_found`
   */
  async findOfAny(id: string): Promise<Batch> {
    const [batch] = isId(id) ? await this.repository.list([id]) : [];
    if (!batch) throw new AppError('not_found', { detail: 'There is no batch with this id.' });
    return batch;
  }

  /** The batch when it is over, or as it is after `timeoutMs` or when `signal` aborts. */
  waitForEnd({ accountId, id }: Batch, timeoutMs: number, signal: AbortSignal): Promise<Batch> {
    return this.watch.readAtEnd(id, {
      read: () => this.find(accountId, id),
      isFinal: ({ status }) => isOver(status),
      timeoutMs,
      signal,
    });
  }

  /**
   * Cancels the rows that have not ended. Their records change at once, and the workers that run some are signalled.
   * Canceling a canceled batch again returns it.
   *
   * @throws AppError `not_found`, `job_finished`
   */
  async cancel(
    accountId: string,
    id: string,
    cancellation: Cancellation = { reason: 'client_request' },
  ): Promise<Batch> {
    const found = await this.find(accountId, id);
    if (!isOver(found.status)) await this.cancelOpen(found.id, cancellation);
    const batch = await this.find(accountId, id);
    if (batch.status !== 'canceled')
      throw new AppError('job_finished', { detail: 'The batch is completed.' });
    return batch;
  }

  private async cancelOpen(batchId: string, { reason, record }: Cancellation): Promise<void> {
    // Committed first: a row that is added while the others are locked would be left to run.
    await this.repository.refuseRows(batchId);
    await this.database.transaction(async (transaction) => {
      // Rows are locked before their batch, as in every transaction that ends one.
      const rows = await this.cancellation.lockOpen(transaction, batchId);
      // The batch is canceled before its rows: the end of the last row would complete it.
      if (!(await this.repository.cancel(transaction, batchId))) return;
      await this.cancellation.cancel(transaction, { batchId, rows }, reason);
      await record?.(transaction);
    });
  }
}
