import { Injectable } from '@nestjs/common';
import type { Transaction } from '@app/database';
import { UsageService } from '@app/usage';
import { WebhooksService } from '@app/webhooks';
import { toCaptureRecord } from '../job/capture-record.js';
import type { Job } from '../job/job.entity.js';
import { CacheEntryRepository } from '../cache/cache-entry.repository.js';
import { keysOf } from '../job/result-files.js';
import { sendSignal } from '../signals/signals.js';

/** Does what belongs to every end of a job, in the transaction that moves the job to its final state. */
@Injectable()
export class JobFinalizerService {
  constructor(
    private readonly usage: UsageService,
    private readonly webhooks: WebhooksService,
    private readonly cache: CacheEntryRepository,
  ) {}

  /** @param job as it is after the move */
  async finalize(transaction: Transaction, job: Job): Promise<void> {
    const { id: jobId, accountId, usagePeriod: period, status, webhookUrl: url } = job;
    // Before the counter of the account, as in acceptance.
    if (job.originId === jobId) await this.cache.keep(transaction, job, keysOf(job));
    await this.usage.settle(transaction, { accountId, jobId, period }, status === 'succeeded');
    if (url !== null) {
      const event = { accountId, subjectId: jobId, url, data: toCaptureRecord(job) };
      // The record of the job describes the last event.
      if (job.changed === true)
        await this.webhooks.announce(transaction, { ...event, type: 'capture.changed' });
      await this.webhooks.announce(transaction, { ...event, type: `capture.${status}` });
    }
    await sendSignal(transaction, 'finished', [jobId]);
  }
}
