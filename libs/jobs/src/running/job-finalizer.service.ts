import { Injectable } from '@nestjs/common';
import type { Transaction } from '@app/database';
import { UsageService } from '@app/usage';
import { WebhooksService } from '@app/webhooks';
import { toCaptureRecord } from '../job/capture-record.js';
import type { Job } from '../job/job.entity.js';
import { JobRepository } from '../job/job.repository.js';

/** What belongs to the end of a job, whichever end it is; all in the transaction that moves it there. */
@Injectable()
export class JobFinalizerService {
  constructor(
    private readonly repository: JobRepository,
    private readonly usage: UsageService,
    private readonly webhooks: WebhooksService,
  ) {}

  /** @param job as it is after the move */
  async finalize(transaction: Transaction, job: Job): Promise<void> {
    const { id: jobId, accountId, usagePeriod: period, status, webhookUrl: url } = job;
    await this.usage.settle(transaction, { accountId, jobId, period }, status === 'succeeded');
    if (url !== null) {
      const data = toCaptureRecord(job);
      await this.webhooks.announce(transaction, {
        accountId,
        subjectId: jobId,
        url,
        type: `capture.${status}`,
        data,
      });
    }
    await this.repository.signal(transaction, 'finished', jobId);
  }
}
