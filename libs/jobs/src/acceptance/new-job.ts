import type { Job } from '../job/job.entity.js';

export type NewJob = Pick<
  Job,
  | 'id'
  | 'accountId'
  | 'source'
  | 'reference'
  | 'batchId'
  | 'batchRow'
  | 'url'
  | 'host'
  | 'format'
  | 'options'
  | 'secrets'
  | 'timeoutMs'
  | 'webhookUrl'
  | 'requestId'
  | 'usagePeriod'
>;

/** What of a new job is known before the transaction that stores it, as columns of `jobs`. */
export const COLUMNS = `id, account_id, source, reference, batch_id, batch_row, url, host, format, options, secrets,
  timeout_ms, webhook_url, request_id`;

/** The same as `json_to_recordset` reads it from given rows. */
export const GIVEN_COLUMNS = `id uuid, account_id uuid, source text, reference text, batch_id uuid, batch_row integer,
  url text, host text, format text, options jsonb, secrets text, timeout_ms integer, webhook_url text, request_id text`;

/** The columns of given rows as they are stored. */
export const GIVEN_VALUES = `id, account_id, source, reference, batch_id, batch_row, url, host, format, options,
  decode(secrets, 'base64'), timeout_ms, webhook_url, request_id`;

/** A new job as a row that `GIVEN_COLUMNS` reads. */
export function toGivenRow(job: Omit<NewJob, 'usagePeriod'>): Record<string, unknown> {
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
    options: job.options,
    secrets: job.secrets?.toString('base64'),
    timeout_ms: job.timeoutMs,
    webhook_url: job.webhookUrl,
    request_id: job.requestId,
  };
}
