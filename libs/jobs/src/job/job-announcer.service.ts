import { Injectable } from '@nestjs/common';
import type { Transaction } from '@app/database';
import { WebhooksService } from '@app/webhooks';
import { toCaptureRecord } from './capture-record.js';
import { EndedJobRepository } from './ended-job.repository.js';
import type { Job } from './job.entity.js';

/** Writes the ends of jobs into the outbox of webhooks, in the transaction that ends them. */
@Injectable()
export class JobAnnouncerService {
  constructor(
    private readonly ended: EndedJobRepository,
    private readonly webhooks: WebhooksService,
  ) {}

  /** @param job as it is after the move to its final state */
  async announce(transaction: Transaction, job: Job): Promise<void> {
    const { id: subjectId, accountId, status, webhookUrl: url, traceContext } = job;
    if (url === null) return;
    const event = { accountId, subjectId, url, traceContext, data: toCaptureRecord(job) };
    // The record of the job describes the last event.
    if (isNewChange(job)) await this.webhooks.announce(transaction, { ...event, type: 'capture.changed' });
    await this.webhooks.announce(transaction, { ...event, type: `capture.${status}` });
  }

  /** Announces the jobs among these whose callers asked for a webhook. */
  async announceAll(transaction: Transaction, ids: readonly string[]): Promise<void> {
    for (const job of await this.ended.listWithWebhook(transaction, ids)) {
      await this.announce(transaction, job);
    }
  }
}

/** The change in an answer of the cache was announced when the capture was made. */
function isNewChange({ changed, cacheStatus }: Job): boolean {
  return changed === true && cacheStatus !== 'hit' && cacheStatus !== 'stale';
}
