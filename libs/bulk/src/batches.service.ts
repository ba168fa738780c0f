import { Injectable } from '@nestjs/common';
import { DatabaseService } from '@app/database';
import { BatchCancellationService } from '@app/jobs';
import { AppError, isId } from '@app/kernel';
import type { Batch } from './batch.entity.js';
import { BatchRepository } from './batch.repository.js';
import { isOver } from './batch-state.js';
import { BatchWatchService } from './following/batch-watch.service.js';

/** What may be done with batches that there are: look up, wait for, cancel. */
@Injectable()
export class BatchesService {
  constructor(
    private readonly database: DatabaseService,
    private readonly repository: BatchRepository,
    private readonly cancellation: BatchCancellationService,
    private readonly watch: BatchWatchService,
  ) {}

  /** An unknown id and another account's id are the same: `not_found`. */
  async find(accountId: string, id: string): Promise<Batch> {
    const batch = isId(id) ? await this.repository.findOfAccount(accountId, id) : null;
    if (!batch) throw new AppError('not_found', { detail: 'There is no batch with this id.' });
    return batch;
  }

  /** The batch once it is over, or as it is after `timeoutMs` or when `signal` aborts. */
  async waitForEnd({ accountId, id }: Batch, timeoutMs: number, signal: AbortSignal): Promise<Batch> {
    const over = new AbortController();
    // Listens before it reads: a batch that ends in between wakes it.
    const woken = this.watch.wait(id, timeoutMs, AbortSignal.any([over.signal, signal]));
    const now = await this.find(accountId, id).catch((error: unknown) => {
      over.abort();
      throw error;
    });
    if (isOver(now.status)) {
      over.abort();
      return now;
    }
    await woken;
    return this.find(accountId, id);
  }

  /**
   * Cancels the rows that have not ended: the records say so at once, and the workers that run some are told. Again:
   * the same batch.
   *
   * @throws AppError `not_found`, `job_finished`
   */
  async cancel(accountId: string, id: string): Promise<Batch> {
    const found = await this.find(accountId, id);
    if (!isOver(found.status)) await this.cancelOpen(found.id);
    const batch = await this.find(accountId, id);
    if (batch.status !== 'canceled')
      throw new AppError('job_finished', { detail: 'The batch is completed.' });
    return batch;
  }

  private async cancelOpen(batchId: string): Promise<void> {
    await this.database.transaction(async (transaction) => {
      // The rows first: whoever ends one has it before it counts it in the batch.
      const rows = await this.cancellation.lockOpen(transaction, batchId);
      // Before they move: with the last one the batch would be completed.
      if (!(await this.repository.cancel(transaction, batchId))) return;
      await this.cancellation.cancel(transaction, { batchId, rows }, 'client_request');
    });
  }
}
