import { BATCH_STATUSES, type BatchFilter, type BatchStatus } from '@app/bulk';
import { Choice, compose } from '@app/kernel';
import { creationOf, PageQuery } from '../http/page.query.js';

class BatchFilters {
  @Choice(BATCH_STATUSES, 'Only batches of this status.')
  status?: BatchStatus;
}

/** Query of `GET /v1/bulk`. */
export const BatchesQuery = compose('BatchesQuery', [BatchFilters, PageQuery]);
export type BatchesQuery = InstanceType<typeof BatchesQuery>;

export function batchFilterOf(query: BatchesQuery): BatchFilter {
  return { status: query.status, ...creationOf(query) };
}
