/**
 * The states of a batch:
 *
 *   queued → running → completed      queued | running → canceled      queued → completed (no row was left to run)
 *
 * It is running from the first row that a worker takes, and completed with the last row that ends, however the rows
 * end. The trigger that moves the counts makes these moves; only canceling is asked for.
 */
export const BATCH_STATUSES = ['queued', 'running', 'completed', 'canceled'] as const;
export type BatchStatus = (typeof BATCH_STATUSES)[number];

export const UNFINISHED = ['queued', 'running'] as const satisfies readonly BatchStatus[];

export function isOver(status: BatchStatus): boolean {
  return status === 'completed' || status === 'canceled';
}
