import { waitingSummary, type WebhookSummary } from '@app/webhooks';
import { toCaptureRecord, type CaptureRecord } from './capture-record.js';
import type { Job } from './job.entity.js';

/** A job as callers see it: the record of its capture, its position in the queue and its webhook. */
export interface JobRecord extends CaptureRecord {
  /** Position among the account's own waiting jobs, from 1; null when the job is not queued. */
  readonly queue_position: number | null;
  /** Null when the caller asked for no webhook. */
  readonly webhook: WebhookSummary | null;
}

/** @param queuePosition is shown only while the job is queued */
export function toJobRecord(job: Job, queuePosition: number, webhook: WebhookSummary | null): JobRecord {
  return {
    ...toCaptureRecord(job),
    queue_position: job.status === 'queued' ? queuePosition : null,
    webhook,
  };
}

/** The record of a job that was just accepted. */
export function toAcceptedRecord(job: Job, queuePosition: number): JobRecord {
  return toJobRecord(job, queuePosition, job.webhookUrl === null ? null : waitingSummary(job.webhookUrl));
}
