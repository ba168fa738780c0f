import type { CaptureOptions } from '@app/capture';
import type { CacheDemand } from '../cache/cache-demand.service.js';
import type { Job } from '../job/job.entity.js';
import type { Idempotency } from './idempotency.js';

/** A capture that a caller asks for; its options and the URL of its webhook are valid. */
export interface JobRequest {
  readonly accountId: string;
  readonly source: Job['source'];
  readonly options: CaptureOptions;
  /** Receives the end of the job. */
  readonly webhookUrl?: string;
  /** The id of the HTTP request, for the log. */
  readonly requestId?: string;
  readonly idempotency?: Idempotency;
  /** Makes the capture whatever the cache holds, as `force` does, which callers would see among their options. */
  readonly renews?: boolean;
}

/** A job from its acceptance to its INSERT: the columns that are known before the transaction. */
export type NewJob = JobOrigin &
  Pick<
    Job,
    | 'id'
    | 'reference'
    | 'url'
    | 'host'
    | 'format'
    | 'otherExtensions'
    | 'options'
    | 'defaultNames'
    | 'secrets'
    | 'needs'
    | 'timeoutMs'
    | 'captureKey'
    | 'traceContext'
  > & {
    /** Null unless the capture asks for the cache. */
    readonly cache: CacheDemand | null;
    /** It logs a session in. It takes no slot of its account: captures that hold one wait for it. */
    readonly isLogIn?: true;
  };

/** The account and the request that a job comes from. */
export type JobOrigin = Pick<
  Job,
  'accountId' | 'source' | 'webhookUrl' | 'requestId' | 'batchId' | 'batchRow'
>;

/** The columns of `jobs` that a `NewJob` fills. */
export const COLUMNS = `id, account_id, source, reference, batch_id, batch_row, url, host, format, other_extensions, options,
  default_names, secrets, timeout_ms, capture_key, cache_key, cache_status, webhook_url, request_id, trace_context, needs`;

/** The same columns as `json_to_recordset` reads them from the result of `toRow`. */
export const ROW_COLUMNS = `id uuid, account_id uuid, source text, reference text, batch_id uuid, batch_row integer,
  url text, host text, format text, other_extensions text[], options jsonb, default_names text[], secrets text, timeout_ms integer, capture_key text,
  cache_key text, cache_status text, webhook_url text, request_id text, trace_context text, needs text[]`;

/** The values to insert into `COLUMNS`, as expressions over `ROW_COLUMNS`. */
export const ROW_VALUES = `id, account_id, source, reference, batch_id, batch_row, url, host, format, other_extensions, options,
  default_names, decode(secrets, 'base64'), timeout_ms, decode(capture_key, 'base64'),
  decode(cache_key, 'base64'), cache_status, webhook_url, request_id, trace_context, needs`;

/** A new job as JSON that `ROW_COLUMNS` reads. */
export function toRow(job: NewJob): Record<string, unknown> {
  return {
    id: job.id,
    account_id: job.accountId,
    source: job.source,
    reference: job.reference,
    batch_id: job.batchId,
    batch_row: job.batchRow,
    url: job.url,
    host: job.host,
    format: job.format,
    other_extensions: job.otherExtensions,
    options: job.options,
    default_names: job.defaultNames,
    secrets: job.secrets?.toString('base64'),
    timeout_ms: job.timeoutMs,
    capture_key: job.captureKey?.toString('base64'),
    cache_key: job.cache?.key.toString('base64'),
    cache_status: job.cache?.force === true ? 'bypass' : undefined,
    webhook_url: job.webhookUrl,
    request_id: job.requestId,
    trace_context: job.traceContext,
    needs: job.needs,
  };
}
