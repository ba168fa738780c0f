import { Injectable } from '@nestjs/common';
import { isFinal, toJobRecord, QueuePositionRepository, type Job, type JobRecord } from '@app/jobs';
import { AppError } from '@app/kernel';
import { waitingSummary, WebhooksService, type WebhookSummary } from '@app/webhooks';

/** Builds the records of jobs, with the position in the queue and the state of the webhook. */
@Injectable()
export class JobRecordsService {
  constructor(
    private readonly positions: QueuePositionRepository,
    private readonly webhooks: WebhooksService,
  ) {}

  /** @throws AppError `not_found` when the record was deleted while a caller waited for the job */
  async of(job: Job): Promise<JobRecord> {
    if (job.recordDeleted) throw new AppError('not_found', { detail: 'The capture was deleted.' });
    const positions = await this.positions.read([job]);
    return toJobRecord(job, positions.get(job.id) ?? 1, await this.webhookOf(job));
  }

  private async webhookOf({ id, status, webhookUrl }: Job): Promise<WebhookSummary | null> {
    if (webhookUrl === null) return null;
    return isFinal(status) ? this.webhooks.summaryOf(id, webhookUrl) : waitingSummary(webhookUrl);
  }
}
