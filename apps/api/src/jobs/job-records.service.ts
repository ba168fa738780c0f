import { Injectable } from '@nestjs/common';
import {
  isFinal,
  LivePhasesService,
  toJobRecord,
  QueuePositionRepository,
  type Job,
  type JobRecord,
} from '@app/jobs';
import { AppError } from '@app/kernel';
import { waitingSummary, WebhooksService, type WebhookSummary } from '@app/webhooks';

/** Builds the records of jobs, with the position in the queue, the phase and the state of the webhook. */
@Injectable()
export class JobRecordsService {
  constructor(
    private readonly positions: QueuePositionRepository,
    private readonly webhooks: WebhooksService,
    private readonly phases: LivePhasesService,
  ) {}

  /** @throws AppError `not_found` when the record was deleted while a caller waited for the job */
  async recordOf(job: Job): Promise<JobRecord> {
    if (job.recordDeleted) throw new AppError('not_found', { detail: 'The capture was deleted.' });
    const positions = await this.positions.read([job]);
    const webhook = await this.webhookOf(job);
    this.phases.ask(job);
    return toJobRecord(job, {
      queuePosition: positions.get(job.id) ?? 1,
      phase: this.phases.phaseOf(job),
      webhook,
    });
  }

  private async webhookOf({ id, status, webhookUrl }: Job): Promise<WebhookSummary | null> {
    if (webhookUrl === null) return null;
    return isFinal(status) ? this.webhooks.summaryOf(id, webhookUrl) : waitingSummary(webhookUrl);
  }
}
