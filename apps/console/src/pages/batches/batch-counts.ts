import type { BatchRecord } from '@capture-service/client';

export type RowStatus = keyof BatchRecord['counts'];

/** The order in which they are shown: what has ended first. */
export const ROW_STATUSES: readonly RowStatus[] = ['succeeded', 'failed', 'canceled', 'running', 'queued'];

export function endedRows({ counts }: Pick<BatchRecord, 'counts'>): number {
  return counts.succeeded + counts.failed + counts.canceled;
}

/** The failed rows that were captured at all: the others are not valid, and fail again. */
export function retryableRows({ counts, rejected }: BatchRecord): number {
  return Math.max(0, counts.failed - rejected);
}
