import type { Pool } from 'pg';
import { newId } from '@app/kernel';

/** A batch to insert directly, without the routes that accept one. */
export interface NewBatch {
  readonly accountId: string;
  /** Number of queued rows. */
  readonly rows: number;
  /** Number of invalid rows, which come first. */
  readonly rejected?: number;
  readonly webhookUrl?: string;
}

/** Inserts a batch with its rows as acceptance leaves them, and charges their units to the account. */
export async function insertBatch(
  database: Pick<Pool, 'query'>,
  { accountId, rows, rejected = 0, webhookUrl }: NewBatch,
): Promise<{ id: string; rowIds: string[] }> {
  const id = newId();
  const total = rows + rejected;
  const ids = Array.from({ length: total }, newId);
  await database.query(
    `WITH counter AS (
       INSERT INTO usage_counters AS counter (account_id, period, used)
       VALUES ($2, to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM'), $4::int)
       ON CONFLICT (account_id, period) DO UPDATE SET used = counter.used + EXCLUDED.used RETURNING period),
     batch AS (
       INSERT INTO batches (id, account_id, status, total, rejected, queued, failed, webhook_url, finished_at)
       VALUES ($1, $2, CASE $4::int WHEN 0 THEN 'completed' ELSE 'queued' END, $4::int + $5::int, $5::int, $4::int,
               $5::int, $6, CASE $4::int WHEN 0 THEN clock_timestamp() END))
     INSERT INTO jobs (id, account_id, source, status, batch_id, batch_row, url, host, format, options, timeout_ms,
                       usage_period, error, error_code, finished_at, created_at)
     SELECT row.id, $2, 'batch', CASE WHEN is_bad THEN 'failed' ELSE 'queued' END, $1, place,
            'https://example.com/' || place, 'example.com', 'png', '{}', 60000, period,
            CASE WHEN is_bad THEN '{"code":"invalid_request"}'::jsonb END,
            CASE WHEN is_bad THEN 'invalid_request' END, CASE WHEN is_bad THEN clock_timestamp() END,
            now() - ($4::int + $5::int - place) * interval '1 ms'
       FROM counter, unnest($3::uuid[]) WITH ORDINALITY AS row (id, place), LATERAL (SELECT place <= $5::int AS is_bad) AS kind`,
    [id, accountId, ids, rows, rejected, webhookUrl ?? null],
  );
  return { id, rowIds: ids };
}

/** Marks these jobs as dispatched, each with a slot of its account, as the dispatcher would. */
export async function dispatchRows(database: Pick<Pool, 'query'>, ids: readonly string[]): Promise<void> {
  await database.query(
    `WITH dispatched AS (
       UPDATE jobs SET dispatched_at = now() WHERE id = ANY($1) AND status = 'queued' AND dispatched_at IS NULL
       RETURNING id, account_id)
     INSERT INTO concurrency_slots (job_id, account_id, held_until, free_by)
     SELECT id, account_id, now() + interval '1 min', now() + interval '1 min' FROM dispatched`,
    [ids],
  );
}
