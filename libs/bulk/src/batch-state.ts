/**
 * The states of a batch:
 *
 *   queued → running → completed      queued | running → canceled      queued → completed (no row was left to run)
 *
 * A batch is running from the first row that a worker claims, and completed when its last row ends, however the rows
 * end. A trigger of the table `jobs` counts the rows and makes these moves; only cancellation is requested.
 */
export const BATCH_STATUSES = ['queued', 'running', 'completed', 'canceled'] as const;
export type BatchStatus = (typeof BATCH_STATUSES)[number];

export const UNFINISHED = ['queued', 'running'] as const satisfies readonly BatchStatus[];

/** The channel on which the trigger notifies that the last row of a batch has ended; the payload is the batch id. */
export const BATCH_FINISHED = 'capture_batch_finished';

export function isOver(status: BatchStatus): boolean {
  return status === 'completed' || status === 'canceled';
}
