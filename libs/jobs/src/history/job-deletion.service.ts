import { Injectable } from '@nestjs/common';
import { DatabaseService, type Transaction } from '@app/database';
import { AppError, isId } from '@app/kernel';
import { WebhooksService } from '@app/webhooks';
import { IdempotencyKeyRepository } from '../acceptance/idempotency-key.repository.js';
import { toCaptureRecord } from '../job/capture-record.js';
import type { Job } from '../job/job.entity.js';
import { JobRepository } from '../job/job.repository.js';
import { JobFinalizerService } from '../running/job-finalizer.service.js';
import { sendSignal } from '../signals/signals.js';
import { JobDeletionRepository } from './job-deletion.repository.js';

export interface DeletionRequest {
  readonly accountId: string;
  readonly id: string;
  /** Whether the record is deleted as well. */
  readonly withRecord: boolean;
}

/**
 * Deletes jobs for their callers. The row stays until the record expires, but without anything that the caller or the page
 * wrote: it still counts in statistics, in its batch and in the ledger, and names the files that a worker may leave behind.
 */
@Injectable()
export class JobDeletionService {
  constructor(
    private readonly database: DatabaseService,
    private readonly repository: JobRepository,
    private readonly deletion: JobDeletionRepository,
    private readonly finalizer: JobFinalizerService,
    private readonly keys: IdempotencyKeyRepository,
    private readonly webhooks: WebhooksService,
  ) {}

  /**
   * Cancels the job if it is queued or running, and removes personal data from it and from whatever quotes it. Deleting it
   * again returns the same job. The caller of this method deletes the files.
   *
   * @throws AppError `not_found`
   */
  async delete({ accountId, id, withRecord }: DeletionRequest): Promise<Job> {
    const known = isId(id) ? await this.repository.findById(id) : null;
    const isVisible = known?.accountId === accountId && (withRecord || !known.recordDeleted);
    const deleted = isVisible
      ? await this.database.transaction((transaction) => this.erase(transaction, id, withRecord))
      : null;
    if (!deleted) throw new AppError('not_found', { detail: 'There is no capture with this id.' });
    return deleted;
  }

  /** Locks in the order of docs/architecture.md: job, batch, keys, cache, then what the end of a job locks. */
  private async erase(transaction: Transaction, id: string, withRecord: boolean): Promise<Job | null> {
    const canceled = await this.repository.cancel(transaction, id, 'client_request');
    const erased = await this.deletion.erase(transaction, id, withRecord);
    if (!erased) return null;
    await this.keys.forgetAnswers(transaction, id);
    await this.deletion.forgetFiles(transaction, erased);
    await sendSignal(transaction, 'forgotten', [erased.originId ?? id]);
    if (canceled) {
      // The webhook is sent as for any cancellation; it contains no more than the record does.
      await this.finalizer.finalize(transaction, { ...erased, webhookUrl: canceled.webhookUrl });
      await sendSignal(transaction, 'canceled', [id]);
    } else {
      await this.webhooks.redact(transaction, id, toCaptureRecord(erased));
    }
    return erased;
  }
}
