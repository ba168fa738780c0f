import { formatsOfOutputs, splitSecrets, storedOptions, type CaptureOptions } from '@app/capture';
import { newId, type SecretBox } from '@app/kernel';
import type { EgressGuard } from '@app/outbound';
import type { Job } from '../job/job.entity.js';
import { otherExtensionsOf } from '../job/result-files.js';
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
    | 'timeoutMs'
  >;

/** The account and the request that a job comes from. */
export type JobOrigin = Pick<
  Job,
  'accountId' | 'source' | 'webhookUrl' | 'requestId' | 'batchId' | 'batchRow'
>;

/** What `toNewJob` needs to check a target and to seal secrets. */
export interface NewJobTools {
  readonly guard: EgressGuard;
  readonly secretBox: SecretBox;
}

/** @throws AppError `target_forbidden` */
export function toNewJob(
  origin: JobOrigin,
  options: CaptureOptions,
  { guard, secretBox }: NewJobTools,
): NewJob {
  const id = newId();
  const url = options.url === undefined ? null : new URL(options.url);
  // A page given as `html` gets the origin of its base_url, which is therefore a target as well.
  const target = url ?? (options.base_url === undefined ? null : new URL(options.base_url));
  if (target) guard.admit(target);
  const { stored, defaultNames } = storedOptions(options);
  const { open, secrets } = splitSecrets(stored);
  return {
    ...origin,
    id,
    url: url?.href ?? null,
    host: url?.hostname ?? null,
    format: formatsOfOutputs(options)[0],
    otherExtensions: otherExtensionsOf(options),
    options: open,
    defaultNames: defaultNames.length > 0 ? [...defaultNames] : null,
    secrets: secrets && secretBox.seal(secrets, id),
    reference: options.reference ?? null,
    timeoutMs: options.timeout_ms,
  };
}

/** The columns of `jobs` that a `NewJob` fills. */
export const COLUMNS = `id, account_id, source, reference, batch_id, batch_row, url, host, format, other_extensions, options,
  default_names, secrets, timeout_ms, webhook_url, request_id`;

/** The same columns as `json_to_recordset` reads them from the result of `toRow`. */
export const ROW_COLUMNS = `id uuid, account_id uuid, source text, reference text, batch_id uuid, batch_row integer,
  url text, host text, format text, other_extensions text[], options jsonb, default_names text[], secrets text, timeout_ms integer, webhook_url text, request_id text`;

/** The values to insert into `COLUMNS`, as expressions over `ROW_COLUMNS`. */
export const ROW_VALUES = `id, account_id, source, reference, batch_id, batch_row, url, host, format, other_extensions, options,
  default_names, decode(secrets, 'base64'), timeout_ms, webhook_url, request_id`;

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
    webhook_url: job.webhookUrl,
    request_id: job.requestId,
  };
}
