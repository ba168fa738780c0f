import { Injectable } from '@nestjs/common';
import { DatabaseService, type Transaction } from '@app/database';
import { AppError, isId } from '@app/kernel';
import { WebhooksService } from '@app/webhooks';
import { toCaptureRecord } from '../job/capture-record.js';
import { JobFinalizerService } from '../running/job-finalizer.service.js';
import { IdempotencyKeyRepository } from '../acceptance/idempotency-key.repository.js';
import type { Job } from '../job/job.entity.js';
import { JobRepository } from '../job/job.repository.js';
import { JobDeletionRepository } from './job-deletion.repository.js';

export interface DeletionRequest {
  readonly accountId: string;
  readonly id: string;
  /** Whether the record goes, too. */
  readonly withRecord: boolean;
}

/**
 * Deletes jobs for their callers. The row stays until the record's time is over, without anything that the caller or the
 * page wrote: it counts in the statistics and in its batch, what was charged stays charged, and it names the files that a
 * worker may still leave behind.
 */
@Injectable()
export class JobDeletionService {
  constructor(
    private readonly database: DatabaseService,
    private readonly repository: JobRepository,
    private readonly deletion: JobDeletionRepository,
    private readonly endings: JobFinalizerService,
    private readonly keys: IdempotencyKeyRepository,
    private readonly webhooks: WebhooksService,
  ) {}

  /**
   * Removes what is personal from the job and from all that quotes it; what is queued or running is canceled first. Again:
   * the same job. Its files are left to the caller.
   *
   * @throws AppError `not_found`
   */
  async delete({ accountId, id, withRecord }: DeletionRequest): Promise<Job> {
    const known = isId(id) ? await this.repository.findById(id) : null;
    const isSeen = known?.accountId === accountId && (withRecord || !known.recordDeleted);
    const deleted = isSeen
      ? await this.database.transaction((transaction) => this.erase(transaction, id, withRecord))
      : null;
    if (!deleted) throw new AppError('not_found', { detail: 'There is no capture with this id.' });
    return deleted;
  }

  /** Locks come in the order of docs/architecture.md: job, batch, keys, and then what belongs to the end of a job. */
  private async erase(transaction: Transaction, id: string, withRecord: boolean): Promise<Job | null> {
    const canceled = await this.repository.cancel(transaction, id, 'client_request');
    const erased = await this.deletion.erase(transaction, id, withRecord);
    if (!erased) return null;
    await this.keys.forgetAnswers(transaction, id);
    if (canceled) {
      // Its webhook is announced as for any cancellation, and tells no more than the record does.
      await this.endings.finalize(transaction, { ...erased, webhookUrl: canceled.webhookUrl });
      await this.repository.signal(transaction, 'canceled', id);
    } else {
      await this.webhooks.redact(transaction, id, toCaptureRecord(erased));
    }
    return erased;
  }
}
