import { batchDownloadPath, batchResultsPath } from '@app/jobs';
import { waitingSummary, type WebhookSummary } from '@app/webhooks';
import { isOver } from './batch-state.js';
import type { Batch } from './batch.entity.js';

/** A batch as callers see it. Fields may be added, never renamed. */
export interface BatchRecord {
  readonly id: string;
  readonly status: Batch['status'];
  /** The batch whose failed rows these are. */
  readonly retry_of: string | null;
  /** Rows in all, rejected ones included; the sum of `counts`. */
  readonly total: number;
  readonly counts: {
    readonly queued: number;
    readonly running: number;
    readonly succeeded: number;
    readonly failed: number;
    readonly canceled: number;
  };
  /** Rows that were not valid; they are among the failed ones. */
  readonly rejected: number;
  /** The part of the rows that has ended, 0 to 1. */
  readonly progress: number;
  /** Seconds to the end at the pace of the latest rows; null while there is no pace yet, 0 at the end. */
  readonly eta_s: number | null;
  readonly created_at: string;
  readonly started_at: string | null;
  readonly finished_at: string | null;
  readonly results_url: string;
  readonly download_url: string;
  /** Null when no webhook was asked for. */
  readonly webhook: WebhookSummary | null;
}

/** What of the record is not in the row. */
export interface BatchOutlook {
  readonly etaS: number | null;
  readonly webhook: WebhookSummary | null;
}

export function toBatchRecord(batch: Batch, { etaS, webhook }: BatchOutlook): BatchRecord {
  const { id, total, queued, running, succeeded, failed, canceled } = batch;
  const ended = succeeded + failed + canceled;
  return {
    id,
    status: batch.status,
    retry_of: batch.retryOf,
    total,
    counts: { queued, running, succeeded, failed, canceled },
    rejected: batch.rejected,
    // Down, so that 1 means all.
    progress: Math.floor((ended / total) * 1_000) / 1_000,
    eta_s: etaS,
    created_at: batch.createdAt.toISOString(),
    started_at: batch.startedAt?.toISOString() ?? null,
    finished_at: batch.finishedAt?.toISOString() ?? null,
    results_url: batchResultsPath(id),
    download_url: batchDownloadPath(id),
    webhook,
  };
}

/** The record of a batch that was accepted a moment ago. */
export function toAcceptedRecord(batch: Batch): BatchRecord {
  const { status, webhookUrl } = batch;
  return toBatchRecord(batch, {
    etaS: isOver(status) ? 0 : null,
    webhook: webhookUrl === null ? null : waitingSummary(webhookUrl),
  });
}
