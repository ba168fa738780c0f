import type { Phase } from '@app/kernel';
import { waitingSummary, type WebhookSummary } from '@app/webhooks';
import { toCaptureRecord, type CaptureRecord } from './capture-record.js';
import type { Job } from './job.entity.js';

/** A job as callers see it: the record of its capture, its position in the queue and its webhook. */
export interface JobRecord extends CaptureRecord {
  /** Position among the account's own waiting jobs, from 1; null when the job is not queued. */
  readonly queue_position: number | null;
  /** The phase that the capture is in; null when it does not run, and while it is not known. */
  readonly phase: Phase | null;
  /** Null when the caller asked for no webhook. */
  readonly webhook: WebhookSummary | null;
}

/** What a job is at now, besides its row; `queuePosition` is shown only while the job is queued. */
export interface JobProgressFacts {
  readonly queuePosition: number;
  readonly phase: Phase | null;
  readonly webhook: WebhookSummary | null;
}

export function toJobRecord(job: Job, { queuePosition, phase, webhook }: JobProgressFacts): JobRecord {
  return {
    ...toCaptureRecord(job),
    queue_position: job.status === 'queued' ? queuePosition : null,
    phase,
    webhook,
  };
}

/** The record of a job that was just accepted. */
export function toAcceptedRecord(job: Job, queuePosition: number): JobRecord {
  const webhook = job.webhookUrl === null ? null : waitingSummary(job.webhookUrl);
  return toJobRecord(job, { queuePosition, phase: null, webhook });
}
