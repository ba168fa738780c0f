import { decodeRowCursor, type ResultsRequest } from '@app/bulk';
import { JOB_STATUSES, type JobStatus } from '@app/jobs';
import { Choice, Text, Whole } from '@app/kernel';

/** Query of `GET /v1/bulk/{id}/results`. */
export class ResultsQuery {
  @Choice(JOB_STATUSES, 'Only rows of this status.')
  status?: JobStatus;

  @Whole('Number of items in a page.', { min: 1, max: 100 })
  limit = 20;

  @Text('`next_cursor` of the previous page.', {
    max: 100,
    check: (text: string) =>
      decodeRowCursor(text) === undefined ? 'must be the next_cursor of a page' : undefined,
  })
  cursor?: string;
}

export function requestOf({ status, limit, cursor }: ResultsQuery): ResultsRequest {
  return { status, limit, after: cursor === undefined ? undefined : decodeRowCursor(cursor) };
}
