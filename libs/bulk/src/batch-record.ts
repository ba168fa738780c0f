import { batchDownloadPath, batchResultsPath } from '@app/jobs';
import { waitingSummary, type WebhookSummary } from '@app/webhooks';
import { isOver } from './batch-state.js';
import type { Batch } from './batch.entity.js';

/** A batch as callers see it, in responses and webhooks. Fields may be added, never renamed. */
export interface BatchRecord {
  readonly id: string;
  readonly status: Batch['status'];
  /** The batch whose failed rows this one retries. */
  readonly retry_of: string | null;
  /** Number of rows, including rejected ones; the sum of `counts`. */
  readonly total: number;
  readonly counts: {
    readonly queued: number;
    readonly running: number;
    readonly succeeded: number;
    readonly failed: number;
    readonly canceled: number;
  };
  /** Invalid rows; they are included in the failed ones. */
  readonly rejected: number;
  /** Share of the rows that have ended, 0 to 1. */
  readonly progress: number;
  /** Estimated seconds to the end, at the pace of the latest rows; null while there is no estimate, 0 at the end. */
  readonly eta_s: number | null;
  readonly created_at: string;
  readonly started_at: string | null;
  readonly finished_at: string | null;
  readonly results_url: string;
  readonly download_url: string;
  /** Null when the caller asked for no webhook. */
  readonly webhook: WebhookSummary | null;
}

/** The part of the record that is not in the row. */
export interface BatchOutlook {
  readonly etaS: number | null;
  readonly webhook: WebhookSummary | null;
}

export function toBatchRecord(batch: Batch, { etaS, webhook }: BatchOutlook): BatchRecord {
  const { id, total, queued, running, succeeded, failed, canceled } = batch;
  const ended = succeeded + failed + canceled;
  // Rounded down, so that 1 means all; a crawl may add rows to a batch that is not over.
  const progress = Math.floor((ended / Math.max(total, 1)) * 1_000) / 1_000;
  return {
    id,
    status: batch.status,
    retry_of: batch.retryOf,
    total,
    counts: { queued, running, succeeded, failed, canceled },
    rejected: batch.rejected,
    progress: isOver(batch.status) && total === 0 ? 1 : Math.min(progress, batch.isOpen ? 0.999 : 1),
    eta_s: etaS,
    created_at: batch.createdAt.toISOString(),
    started_at: batch.startedAt?.toISOString() ?? null,
    finished_at: batch.finishedAt?.toISOString() ?? null,
    results_url: batchResultsPath(id),
    download_url: batchDownloadPath(id),
    webhook,
  };
}

/** The record of a batch that was just accepted. */
export function toAcceptedRecord(batch: Batch): BatchRecord {
  const { status, webhookUrl } = batch;
  return toBatchRecord(batch, {
    etaS: isOver(status) ? 0 : null,
    webhook: webhookUrl === null ? null : waitingSummary(webhookUrl),
  });
}
