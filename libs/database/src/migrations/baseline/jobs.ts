/** NULL becomes a value, so that captures without a verdict or a comparison are found like any others. */
const KIND = `status, source, format, coalesce(verdict ->> 'kind', ''), coalesce(changed::text, ''), created_at DESC, id DESC`;

/** Waits in the database for the dispatcher. */
const IS_WAITING = `status = 'queued' AND dispatched_at IS NULL AND follows_id IS NULL`;

/**
 * One row per capture, and the accepted requests by Idempotency-Key. libs/jobs/src/job/job.entity.ts says what the columns mean,
 * and libs/capture/src/record what a capture found out.
 *
 * The length of texts from pages and browsers is limited here as well: `MAX_TEXT` of libs/kernel, to which they are truncated
 * before they are written. A single row of 60 MB makes every list that includes it fail. `json` keeps the order of fields, so that
 * the record shows them as they are stored; `jsonb` is for columns that are searched.
 */
export const JOBS = `
  CREATE TABLE jobs (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts (id),
    source text NOT NULL CHECK (source IN ('sync', 'job', 'batch')),
    status text NOT NULL CHECK (status IN ('queued', 'running', 'succeeded', 'failed', 'canceled')),
    reference text,
    batch_id uuid,
    batch_row integer,
    url text,
    host text,
    format text NOT NULL,
    options jsonb NOT NULL,
    secrets bytea,
    timeout_ms integer NOT NULL,
    usage_period text NOT NULL,
    attempt smallint NOT NULL DEFAULT 0,
    worker_id text,
    lease_until timestamptz(3),
    final_url text CHECK (char_length(final_url) <= 8192),
    http_status smallint,
    title text CHECK (char_length(title) <= 1024),
    width integer,
    height integer,
    page_height integer,
    truncated boolean,
    complete boolean,
    result_key text,
    content_type text,
    bytes integer,
    sha256 text,
    timings json,
    queue_ms integer,
    total_ms integer,
    blocked_requests integer NOT NULL DEFAULT 0,
    failed_requests integer NOT NULL DEFAULT 0,
    error jsonb CHECK (
      char_length(error ->> 'detail') <= 300
      AND char_length(error ->> 'net_error') <= 300
      AND octet_length(error::text) <= 65536),
    error_code text,
    cancel_reason text,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    started_at timestamptz(3),
    finished_at timestamptz(3),
    expires_at timestamptz(3),
    dispatched_at timestamptz(3),
    failures smallint NOT NULL DEFAULT 0,
    losses smallint NOT NULL DEFAULT 0,
    webhook_url text,
    request_id text,
    deleted_at timestamptz(3),
    record_deleted boolean NOT NULL DEFAULT false,
    pages integer,
    blocked json,
    consent json,
    readiness json,
    verdict json,
    stable json,
    default_names text[],
    content text,
    other_extensions text[],
    other_files json,
    total_bytes integer,
    page json,
    change json,
    changed boolean,
    capture_key bytea,
    page_lists json,
    text_hash bytea,
    cache_key bytea,
    cache_status text CHECK (cache_status IN ('hit', 'stale', 'coalesced', 'bypass')),
    cache_age_s integer,
    origin_id uuid,
    follows_id uuid,
    trace_context text,
    overlays json,
    missing json,
    priority integer,
    needs text[],
    redirects json,
    CONSTRAINT jobs_outcome_check CHECK (
      (verdict IS NULL OR status IN ('succeeded', 'failed')) AND (changed IS NULL OR status = 'succeeded'))
  );

  -- The history lists the newest first, by keyset (created_at, id). Status, source, format, verdict and change have few values, so a
  -- page is read from one range of an index for each combination of them (libs/jobs/src/history/history-page.ts).
  CREATE INDEX jobs_history ON jobs (account_id, created_at DESC, id DESC);
  CREATE INDEX jobs_by_kind ON jobs (account_id, ${KIND});
  CREATE INDEX jobs_by_host ON jobs (account_id, host, ${KIND});
  CREATE INDEX jobs_by_reference ON jobs (account_id, reference, ${KIND}) WHERE reference IS NOT NULL;
  CREATE INDEX jobs_by_reference_and_host ON jobs (account_id, reference, host, ${KIND})
    WHERE reference IS NOT NULL AND host IS NOT NULL;

  -- The rows of a batch, and its latest ends, which show its pace.
  CREATE INDEX jobs_batch ON jobs (batch_id, batch_row) WHERE batch_id IS NOT NULL;
  CREATE INDEX jobs_batch_ended ON jobs (batch_id, finished_at) WHERE batch_id IS NOT NULL AND finished_at IS NOT NULL;

  -- The waiting jobs of a line, in the order in which they are dispatched. Each batch of an account is a line, and its single jobs
  -- form another, whose id is that of the account. The lines take turns in libs/jobs/src/dispatch.
  CREATE INDEX jobs_waiting ON jobs (account_id, coalesce(batch_id, account_id), created_at, batch_row, id)
    WHERE ${IS_WAITING};
  -- To skip from a busy host to the next, however many jobs it has. No host is named ''.
  CREATE INDEX jobs_waiting_by_host
    ON jobs (account_id, coalesce(batch_id, account_id), coalesce(host, ''), created_at, batch_row, id)
    WHERE ${IS_WAITING};
  -- The jobs that wait with the same key of the cache, which the dispatcher has follow one of them all at once.
  CREATE INDEX jobs_waiting_by_cache_key ON jobs (account_id, cache_key, id)
    WHERE ${IS_WAITING} AND cache_key IS NOT NULL;
  -- The jobs that wait for the files of another one instead of making their own.
  CREATE INDEX jobs_following ON jobs (follows_id, id) WHERE follows_id IS NOT NULL;
  -- In the queue or on a worker: at most what the workers can take, and the synchronous captures.
  CREATE INDEX jobs_in_flight ON jobs (account_id, host)
    WHERE status IN ('queued', 'running') AND dispatched_at IS NOT NULL;
  CREATE INDEX jobs_running ON jobs (lease_until) WHERE status = 'running';

  -- The latest capture with the same options and target whose file still exists, to compare with.
  CREATE INDEX jobs_by_capture_key ON jobs (account_id, capture_key, finished_at DESC)
    WHERE status = 'succeeded' AND capture_key IS NOT NULL AND result_key IS NOT NULL;
  -- The record that shows shared files for longest.
  CREATE INDEX jobs_of_shared_files ON jobs (origin_id, expires_at) WHERE origin_id IS NOT NULL AND result_key IS NOT NULL;

  -- Files and records in the order in which they expire.
  CREATE INDEX jobs_expiring ON jobs (expires_at) WHERE result_key IS NOT NULL;
  CREATE INDEX jobs_ended ON jobs (finished_at, id) WHERE finished_at IS NOT NULL;
  -- The few jobs with an attempt that may have left an orphaned file, which no row names; not those that succeeded at the first
  -- attempt.
  CREATE INDEX jobs_orphaned_files ON jobs (finished_at, id)
    WHERE finished_at IS NOT NULL AND attempt > 0 AND (attempt > 1 OR status <> 'succeeded');
  -- One row: the last of those jobs whose orphaned files are deleted.
  CREATE TABLE job_orphaned_files_swept (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    finished_at timestamptz(3) NOT NULL,
    id uuid NOT NULL
  );
  INSERT INTO job_orphaned_files_swept (finished_at, id) VALUES ('epoch', '00000000-0000-0000-0000-000000000000');

  -- subject_id: the accepted job or batch. answer: the first response byte for byte (hence not jsonb), if it is JSON that cannot be
  -- rebuilt from the rows.
  CREATE TABLE idempotency_keys (
    account_id uuid NOT NULL REFERENCES accounts (id),
    key text NOT NULL,
    fingerprint bytea NOT NULL,
    subject_id uuid NOT NULL,
    answer json,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (account_id, key)
  );
  CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);
  -- The responses stored with the keys of a deleted capture are deleted with it.
  CREATE INDEX idempotency_keys_subject ON idempotency_keys (subject_id);
`;
