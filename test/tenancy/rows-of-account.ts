import { hash, ownedBy, SAME, type Owned, type Owner } from './owned-rows.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A row by the names of its columns. */
export type Row = Readonly<Record<string, unknown>>;

/** The rows of one account in all tables. */
export function rowsOf(owner: Owner, base: Date): (readonly [table: string, row: Row])[] {
  const owned = ownedBy(owner);
  const at = (hours: number): Date => new Date(base.getTime() + hours * HOUR_MS);
  const account_id = owned.accountId;
  const tables: Record<string, readonly Row[]> = {
    accounts: [{ id: account_id, name: owned.name, ...ACCOUNT, created_at: at(-99) }],
    api_keys: [owned.keyId, owned.secondKeyId].map((id) => {
      return { id, account_id, name: 'laptop', secret_sha256: hash('secret'), created_at: at(-98) };
    }),
    ...secretsOf(owned, at),
    usage_counters: [{ account_id, period: 'ever', used: owned.used }],
    usage_ledger: [{ job_id: owned.jobs.succeeded, account_id, period: 'ever', at: at(-2) }],
    concurrency_slots: slotsOf(owned, at),
    // Its time is ahead of the call, which therefore adds nothing to the level.
    rate_buckets: [{ account_id, rate: 60, level: 300_000, asked: 1, at_ms: at(99).getTime() }],
    batches: batchesOf(owned, at),
    jobs: jobsOf(owned, at),
    sessions: sessionsOf(owned, at),
    ...answersOf(owned, at),
    webhook_deliveries: deliveriesOf(owned, at),
    ...monitorsOf(owned, at),
    ...crawlsOf(owned, at),
    ...sumsOf(owned, base),
  };
  return Object.entries(tables).flatMap(([table, rows]) => rows.map((row) => [table, row] as const));
}

/** A row as `json_populate_record` reads it. */
export function asJson(row: Row): string {
  const values = Object.entries(row).map(([column, value]) => [
    column,
    Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : value,
  ]);
  return JSON.stringify(Object.fromEntries(values));
}

const ACCOUNT = { allowance: 1_000, allowance_period: 'ever', concurrency: 50, webhook_url: SAME.hook };

type At = (hours: number) => Date;

/** The sums of the day before, of which one hour is to be summed again. */
function sumsOf({ accountId: account_id }: Owned, base: Date): Record<string, Row[]> {
  const day = Math.floor(base.getTime() / DAY_MS) * DAY_MS - DAY_MS;
  const sum = { account_id, measure: 'status', value: 'succeeded', captures: 7, bytes: 70 };
  return {
    job_days: [{ ...sum, day: new Date(day) }],
    job_hours: [2, 3].map((hour) => ({ ...sum, hour: new Date(day + hour * HOUR_MS) })),
    job_hours_stale: [{ account_id, hour: new Date(day + 3 * HOUR_MS) }],
  };
}

function sessionsOf({ accountId, sessions, jobs }: Owned, at: At): Row[] {
  const shared = {
    account_id: accountId,
    origins: ['https://a.test'],
    keep_alive_s: 900,
    expires_in_s: 3_600,
    log_in: { url: 'https://a.test/login', actions: [] },
    session_check: { url: 'https://a.test/', selector: 'b' },
    secrets: hash('secrets'),
    created_at: at(-3),
  };
  return [
    {
      ...shared,
      id: sessions.active,
      name: SAME.session,
      status: 'active',
      state: hash('state'),
      generation: 1,
      logged_in_at: at(-2),
      checked_at: at(-2),
      checking_until: at(-1),
      expires_at: at(-1),
      failures: 1,
    },
    { ...shared, id: sessions.pending, name: 'other', status: 'pending', log_in_job_id: jobs.running },
  ];
}

function secretsOf({ accountId, keyId, secondKeyId, session, logIn }: Owned, at: At): Record<string, Row[]> {
  const account_id = accountId;
  const key_id = keyId;
  const secret = hash('sealed');
  const previous = hash('sealed before');
  return {
    signing_secrets: [
      { key_id, secret, created_at: at(-2), previous, previous_created_at: at(-9) },
      { key_id: secondKeyId, secret, created_at: at(-2) },
    ],
    console_session_keys: [{ token_sha256: session, key_id, added_at: at(-2), expires_at: at(9) }],
    console_log_ins: [{ token_sha256: logIn, key_id, expires_at: at(9) }],
    webhook_secrets: [{ account_id, secret, previous, previous_until: at(9), created_at: at(-2) }],
    webhook_stops: [{ account_id, url: SAME.hook, stopped_at: at(-2) }],
  };
}

const FILE = {
  key: 'captures/1.png',
  content_type: 'image/png',
  bytes: 5,
  sha256: 'ab',
  truncated: false,
};

/** Two monitors, one of which is due, a page of each, and a check that has ended beside one that is open. */
function monitorsOf({ accountId, name, jobs, monitors }: Owned, at: At): Record<string, Row[]> {
  const account_id = accountId;
  const columns = {
    account_id,
    name,
    every_s: 3_600,
    is_batch: false,
    host: SAME.host,
    alert: {},
    keep: KEEP,
  };
  const times = { created_at: at(-9), updated_at: at(-9) };
  const of = {
    monitor_id: monitors.active,
    account_id,
    page: 1,
    url: `https://${SAME.host}/`,
    trigger: 'schedule',
  };
  return {
    monitors: [
      { id: monitors.active, ...columns, state: 'active', next_due_at: at(9), next_run_at: at(9), ...times },
      { id: monitors.due, ...columns, state: 'active', next_due_at: at(-1), next_run_at: at(-1), ...times },
    ],
    monitor_pages: [
      { monitor_id: monitors.active, page: 1, id: monitors.page, account_id, options: {}, failures: 1 },
    ],
    monitor_checks: [
      {
        id: monitors.check,
        ...of,
        due_at: at(-2),
        missed: 0,
        capture_ids: [],
        files_kept: true,
        outcome: 'same',
        created_at: at(-2),
        finished_at: at(-1),
        change: { noise: [{ x: 0, y: 0, width: 8, height: 8 }] },
      },
      {
        id: monitors.open,
        ...of,
        due_at: at(-1),
        missed: 0,
        capture_ids: [jobs.succeeded],
        job_id: jobs.succeeded,
        files_kept: true,
        created_at: at(-1),
      },
    ],
  };
}

/** A crawl in progress with pages in every state. */
function crawlsOf({ accountId, crawls, jobs, unused }: Owned, at: At): Record<string, Row[]> {
  const none = { robots: 0, filter: 0, duplicate: 0, depth: 0, limit: 0 };
  const page = { crawl_id: crawls.open, pattern: 'a.test/0', depth: 1, found_by: 'link', found_on: 1 };
  const read = { state: 'read', job_id: jobs.endedRow, http_status: 404, title: 'A page', links: [1, 2] };
  return {
    crawls: [
      {
        id: crawls.open,
        account_id: accountId,
        url: `https://${SAME.host}/`,
        rules: { limit: 10 },
        state: 'discovering',
        stage: 'links',
        discovered: 3,
        skipped: none,
        lease: crawls.lease,
        next_run_at: at(-1),
        leased_until: at(1),
        created_at: at(-1),
        defaults: hash(unused),
      },
    ],
    crawl_pages: [
      { ...page, key: hash('page 1'), number: 1, url: 'https://a.test/1', ...read, outcome: 'broken' },
      { ...page, key: hash('page 2'), number: 2, url: 'https://a.test/2', state: 'taken' },
      { ...page, key: hash('page 3'), number: 3, url: 'https://a.test/3', state: 'found' },
    ],
    crawl_robots: [{ crawl_id: crawls.open, origin: 'https://a.test', content: '' }],
  };
}

const KEEP = { unchanged: 0, changed: 1 };

/** What may answer a request without a visit. */
function answersOf({ accountId, jobs }: Owned, at: At): Record<string, Row[]> {
  const account_id = accountId;
  const key = { key: SAME.idempotencyKey, fingerprint: hash('body'), subject_id: jobs.succeeded };
  const capture = { capture_id: jobs.succeeded, captured_at: at(-2), kept_until: at(-1) };
  return {
    idempotency_keys: [{ account_id, ...key, answer: {}, created_at: at(-1) }],
    capture_files: [{ capture_id: jobs.succeeded, position: 1, name: 'result', format: 'png', ...FILE }],
    cache_entries: [{ account_id, key: SAME.cacheKey, ...capture, leader_id: null }],
    shared_files: [
      { id: jobs.succeeded, account_id, keys: ['captures/1.png'], check_at: at(1) },
      { id: jobs.savedRow, account_id, keys: ['captures/2.png'], check_at: at(1), doomed_at: at(-1) },
    ],
  };
}

function slotsOf({ accountId, jobs }: Owned, at: At): Row[] {
  return [jobs.running, jobs.dispatched].map((job_id) => ({
    job_id,
    account_id: accountId,
    held_until: at(1),
    held_since: at(-1),
    free_by: at(1),
  }));
}

function batchesOf({ accountId, batches }: Owned, at: At): Row[] {
  const batch = { account_id: accountId, webhook_url: SAME.hook, created_at: at(-3), started_at: at(-3) };
  return [
    // Rows may still be added to it, as to that of a crawl.
    {
      ...batch,
      id: batches.running,
      status: 'running',
      is_open: true,
      total: 2,
      queued: 1,
      failed: 1,
      finished_at: null,
    },
    // Its counts miss the row that succeeded, for what compares and corrects them.
    { ...batch, id: batches.ended, status: 'completed', total: 2, queued: 0, failed: 1, finished_at: at(-2) },
  ];
}

function jobsOf({ accountId, batches, jobs }: Owned, at: At): Row[] {
  const job = {
    account_id: accountId,
    source: 'job',
    status: 'queued',
    attempt: 0,
    format: 'png',
    timeout_ms: 60_000,
    options: { cache_ttl_s: 86_400 },
    usage_period: 'ever',
    url: `https://${SAME.host}/`,
    host: SAME.host,
    created_at: at(-3),
    reference: 'order',
    webhook_url: SAME.hook,
  };
  const running = {
    status: 'running',
    attempt: 1,
    dispatched_at: at(-3),
    started_at: at(-2),
    worker_id: SAME.worker,
  };
  const failed = {
    status: 'failed',
    attempt: 1,
    finished_at: at(-2),
    error_code: 'capture_timeout',
    error: { code: 'capture_timeout', retryable: false },
  };
  const file = {
    result_key: 'captures/1.png',
    content_type: 'image/png',
    bytes: 5,
    total_bytes: 5,
    sha256: 'ab',
    expires_at: at(1),
  };
  const saved = { ...file, status: 'succeeded', attempt: 1, finished_at: at(-2), queue_ms: 5, total_ms: 50 };
  const cached = { cache_key: SAME.cacheKey, capture_key: SAME.captureKey, origin_id: jobs.succeeded };
  const inBatch = { source: 'batch', batch_id: batches.running };
  const inEnded = { source: 'batch', batch_id: batches.ended };
  return [
    { ...job, id: jobs.waiting, cache_key: SAME.cacheKey },
    { ...job, id: jobs.dispatched, dispatched_at: at(-3) },
    { ...job, ...running, id: jobs.running, lease_until: at(1) },
    { ...job, ...running, id: jobs.lost, lease_until: at(-1) },
    { ...job, ...saved, ...cached, id: jobs.succeeded, page_lists: { links: [] } },
    { ...job, id: jobs.follower, follows_id: jobs.succeeded, cache_key: SAME.cacheKey },
    { ...job, ...inBatch, id: jobs.row, batch_row: 1, cache_key: SAME.cacheKey },
    { ...job, ...inBatch, ...failed, id: jobs.failedRow, batch_row: 2 },
    { ...job, ...inEnded, ...failed, id: jobs.endedRow, batch_row: 1 },
    { ...job, ...inEnded, ...saved, id: jobs.savedRow, batch_row: 2 },
  ];
}

function deliveriesOf({ accountId, deliveries, jobs }: Owned, at: At): Row[] {
  const address = { account_id: accountId, url: SAME.hook, host: 'hooks.test' };
  const event = { type: 'capture.succeeded', body: '{"data":1}', subject_id: jobs.succeeded };
  const delivery = { ...address, ...event, created_at: at(-2), next_attempt_at: at(-1), claims: 1 };
  const failed = { subject_id: jobs.failedRow, state: 'failed', attempts: 9, finished_at: at(-1) };
  return [
    { ...delivery, id: deliveries.pending, state: 'pending', attempts: 1, lease_until: at(1) },
    { ...delivery, id: deliveries.due, state: 'pending', attempts: 0 },
    { ...delivery, ...failed, id: deliveries.failed },
  ];
}
