import type { Batch } from '../batch.entity.js';
import { BATCH_STATUSES, isOver } from '../batch-state.js';

type Standing = Pick<Batch, 'status' | 'queued' | 'running' | 'succeeded' | 'failed' | 'canceled'>;

/** Where a batch stands, in one word: it differs when its status or any of its counts does. */
export function standingOfBatch({ status, queued, running, succeeded, failed, canceled }: Standing): string {
  return [status, queued, running, succeeded, failed, canceled].join('.');
}

/** Whether a batch that stands there has ended, or is gone. */
export function standsAtEnd(standing: string): boolean {
  const status = BATCH_STATUSES.find((each) => standing.startsWith(`${each}.`));
  return status === undefined || isOver(status);
}
