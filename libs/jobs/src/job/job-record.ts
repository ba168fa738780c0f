import { waitingSummary, type WebhookSummary } from '@app/webhooks';
import { toCaptureRecord, type CaptureRecord } from './capture-record.js';
import type { Job } from './job.entity.js';

/** A job as callers see it: the record of its capture and where it stands. */
export interface JobRecord extends CaptureRecord {
  /** Place among the account's own waiting jobs, from 1; null when it is not queued. */
  readonly queue_position: number | null;
  /** Null when no webhook was asked for. */
  readonly webhook: WebhookSummary | null;
}

/** @param queuePosition is shown while the job is queued. */
export function toJobRecord(job: Job, queuePosition: number, webhook: WebhookSummary | null): JobRecord {
  return {
    ...toCaptureRecord(job),
    queue_position: job.status === 'queued' ? queuePosition : null,
    webhook,
  };
}

/** The record of a job that was accepted a moment ago. */
export function toAcceptedRecord(job: Job, queuePosition: number): JobRecord {
  return toJobRecord(job, queuePosition, job.webhookUrl === null ? null : waitingSummary(job.webhookUrl));
}
