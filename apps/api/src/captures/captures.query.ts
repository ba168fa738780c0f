import { FORMAT_NAMES, VERDICTS, type Format, type Verdict } from '@app/capture';
import {
  decodeCursor,
  JOB_SOURCES,
  JOB_STATUSES,
  type JobFilter,
  type JobSource,
  type JobStatus,
} from '@app/jobs';
import { Choice, Flag, isId, Text, Whole } from '@app/kernel';
import { TIME_RULE } from './time-rule.js';

/** Query of `GET /v1/captures`. */
export class ListQuery {
  @Choice(JOB_STATUSES, 'Only captures of this status.')
  status?: JobStatus;

  @Choice(JOB_SOURCES, 'Only captures of this source.')
  source?: JobSource;

  @Choice(FORMAT_NAMES, 'Only captures whose first file has this format.')
  format?: Format;

  @Choice(VERDICTS, 'Only captures with this verdict; captures without a verdict match none.')
  verdict?: Verdict['kind'];

  @Flag(
    'Only captures that were compared with an earlier one and have changed (`true`) or have not (`false`).',
  )
  changed?: boolean;

  @Flag('Only captures whose `error` is set (`true`), which are those that failed, or is null (`false`).')
  has_error?: boolean;

  @Text('Only captures of this host.', { max: 253, example: 'example.com' })
  host?: string;

  @Text('Only captures with this tag.', { max: 200 })
  reference?: string;

  @Text('Only captures of this batch.', {
    max: 36,
    check: (text: string) => (isId(text) ? undefined : 'must be the id of a batch'),
  })
  batch_id?: string;

  @Text('Only captures created after this time.', TIME_RULE)
  created_after?: string;

  @Text('Only captures created before this time.', TIME_RULE)
  created_before?: string;

  @Whole('Number of items in a page.', { min: 1, max: 100 })
  limit = 20;

  @Text('`next_cursor` of the previous page.', {
    max: 100,
    check: (text: string) => (decodeCursor(text) ? undefined : 'must be the next_cursor of a page'),
  })
  cursor?: string;
}

/** Query of `DELETE /v1/captures/{id}`. */
export class DeleteQuery {
  @Flag('Also delete the record: the id is unknown from then on.')
  record = false;
}

export function filterOf(query: ListQuery): JobFilter {
  const { status, source, format, verdict, changed, host, reference } = query;
  return {
    status,
    source,
    format,
    verdict,
    changed,
    hasError: query.has_error,
    host: host?.toLowerCase(),
    reference,
    batchId: query.batch_id,
    createdAfter: inUtc(query.created_after),
    createdBefore: inUtc(query.created_before),
  };
}

/** PostgreSQL accepts fewer offsets than RFC 3339. */
function inUtc(time: string | undefined): string | undefined {
  return time === undefined ? undefined : new Date(time).toISOString();
}
