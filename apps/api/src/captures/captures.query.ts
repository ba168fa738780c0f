import { FORMAT_NAMES, VERDICTS, type Format, type Verdict } from '@app/capture';
import { JOB_SOURCES, JOB_STATUSES, type JobSearch, type JobSource, type JobStatus } from '@app/jobs';
import { Choice, compose, Flag, isId, Text } from '@app/kernel';
import { creationOf, PageQuery } from '../http/page.query.js';

class CaptureFilters {
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

  @Text('Only captures of this host, of any port unless one is given.', {
    max: 260,
    example: 'example.com',
    check: (text: string) =>
      siteOf(text) ? undefined : 'must be a host, with a port if needed, such as example.com:8080',
  })
  host?: string;

  @Text('Only captures with this tag.', { max: 200 })
  reference?: string;

  @Text(
    'Only captures whose URL or title contains this text, in upper or lower case. A page may then have fewer items than `limit`, or none, and still a `next_cursor`: the search goes on there.',
    { max: 200, example: 'pricing' },
  )
  search?: string;

  @Text(
    'Only the capture that the request with this `Idempotency-Key` made, or was answered with, also while it runs. Keys are known for 24 hours.',
    { max: 255 },
  )
  idempotency_key?: string;

  @Text('Only captures of this batch.', {
    max: 36,
    check: (text: string) => (isId(text) ? undefined : 'must be the id of a batch'),
  })
  batch_id?: string;
}

/** RFC 1035. */
const MAX_HOST_LENGTH = 253;

/** A host as the record has it and, if it was given with a port, the beginnings of the URLs that reach it. */
function siteOf(text: string): Pick<JobSearch, 'host' | 'origins'> | undefined {
  const urls = ['http', 'https'].map((scheme) => URL.parse(`${scheme}://${text}/`));
  const [url] = urls;
  if (!url || url.hostname.length > MAX_HOST_LENGTH || /[/?#@\\\s]/.test(text)) return undefined;
  const hasPort = /:\d+$/.test(text);
  return { host: url.hostname, ...(hasPort && { origins: urls.flatMap((each) => each?.href ?? []) }) };
}

/** Query of `GET /v1/captures`. */
export const CapturesQuery = compose('CapturesQuery', [CaptureFilters, PageQuery]);
export type CapturesQuery = InstanceType<typeof CapturesQuery>;

/** Query of `DELETE /v1/captures/{id}`. */
export class DeleteQuery {
  @Flag('Also delete the record: the id is unknown from then on.')
  record = false;
}

export function filterOf(query: CapturesQuery): JobSearch {
  const { status, source, format, verdict, changed, host, reference } = query;
  return {
    status,
    source,
    format,
    verdict,
    changed,
    hasError: query.has_error,
    ...(host !== undefined && siteOf(host)),
    reference,
    batchId: query.batch_id,
    idempotencyKey: query.idempotency_key,
    contains: query.search,
    ...creationOf(query),
  };
}
