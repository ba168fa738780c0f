import type { BatchRecord } from '../bulk/batch.response.js';
import type { CaptureRecord } from '../captures/capture.response.js';
import type { JobRecord } from '../jobs/job.response.js';
import { ID, TIME } from './schemas.js';

const CAPTURE: CaptureRecord = {
  id: ID.example,
  source: 'sync',
  status: 'succeeded',
  reference: null,
  batch_id: null,
  row: null,
  url: 'https://example.com/',
  final_url: 'https://example.com/',
  http_status: 200,
  title: 'Example Domain',
  format: 'png',
  width: 1280,
  height: 800,
  pages: null,
  page_height: 800,
  truncated: false,
  complete: true,
  bytes: 18_231,
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  options: { url: 'https://example.com', format: 'png' },
  attempts: 1,
  billable: true,
  timings: {
    queue_ms: 3,
    prepare_ms: 2,
    navigate_ms: 120,
    settle_ms: 0,
    render_ms: 60,
    store_ms: 2,
    total_ms: 187,
  },
  blocked_requests: 0,
  failed_requests: 0,
  error: null,
  cancel_reason: null,
  created_at: TIME.example,
  started_at: '2026-11-21T10:15:30.126Z',
  finished_at: '2026-11-21T10:15:30.310Z',
  expires_at: '2026-11-28T10:15:30.310Z',
  deleted_at: null,
  result_url: `/v1/captures/${ID.example}/result`,
};

const UNFINISHED: JobRecord = {
  ...CAPTURE,
  status: 'running',
  final_url: null,
  http_status: null,
  title: null,
  width: null,
  height: null,
  pages: null,
  page_height: null,
  truncated: null,
  complete: null,
  bytes: null,
  sha256: null,
  billable: false,
  timings: null,
  finished_at: null,
  expires_at: null,
  result_url: null,
  queue_position: null,
  webhook: null,
};

const ACCEPTED: JobRecord = {
  ...UNFINISHED,
  source: 'job',
  status: 'queued',
  attempts: 0,
  started_at: null,
  queue_position: 1,
  webhook: {
    id: null,
    url: 'https://example.com/webhooks/capture',
    state: 'waiting',
    attempts: 0,
    last_status: null,
    next_attempt_at: null,
    log: [],
  },
};

const CANCELED: JobRecord = {
  ...ACCEPTED,
  status: 'canceled',
  cancel_reason: 'client_request',
  finished_at: '2026-11-21T10:15:31.002Z',
  queue_position: null,
  webhook: null,
};

const DELETED: CaptureRecord = {
  ...CAPTURE,
  url: null,
  final_url: null,
  title: null,
  sha256: null,
  options: {},
  expires_at: '2026-11-22T08:00:12.450Z',
  deleted_at: '2026-11-22T08:00:12.450Z',
  result_url: null,
};

const BATCH: BatchRecord = {
  id: ID.example,
  status: 'running',
  retry_of: null,
  total: 1_000,
  counts: { queued: 900, running: 4, succeeded: 90, failed: 6, canceled: 0 },
  rejected: 2,
  progress: 0.096,
  eta_s: 210,
  created_at: TIME.example,
  started_at: '2026-11-21T10:15:30.126Z',
  finished_at: null,
  results_url: `/v1/bulk/${ID.example}/results`,
  download_url: `/v1/bulk/${ID.example}/download`,
  webhook: null,
};

const CANCELED_BATCH: BatchRecord = {
  ...BATCH,
  status: 'canceled',
  counts: { queued: 0, running: 0, succeeded: 90, failed: 6, canceled: 904 },
  progress: 1,
  eta_s: 0,
  finished_at: '2026-11-21T10:15:52.310Z',
};

const BAD_ROW = {
  pointer: 'viewport_width',
  row: 3,
  column: 'viewport_width',
  line: 4,
  code: 'out_of_range',
  detail: 'must be a whole number between 16 and 7680',
};

const ACCEPTED_BATCH = {
  ...BATCH,
  status: 'queued',
  total: 3,
  counts: { queued: 2, running: 0, succeeded: 0, failed: 1, canceled: 0 },
  rejected: 1,
  progress: 0.333,
  eta_s: null,
  started_at: null,
  errors: [BAD_ROW],
};

const VERDICT = {
  dry_run: true,
  would_accept: false,
  total: 3,
  valid: 2,
  rejected: 1,
  allowance: { needed: 2, available: 9_872 },
  errors: [BAD_ROW],
};

const COUNTS = {
  total: 130,
  bytes: 2_370_030,
  status: { queued: 0, running: 1, succeeded: 120, failed: 8, canceled: 1 },
  source: { sync: 30, job: 100, batch: 0 },
  format: { png: 110, pdf: 20 },
  error_code: { target_dns_error: 5, capture_timeout: 3 },
};

/** A whole example of each response, by the name of its schema. */
export const EXAMPLES = {
  CaptureRecord: CAPTURE,
  DeletedCapture: DELETED,
  CaptureList: { items: [CAPTURE], next_cursor: null },
  JobRecord: UNFINISHED,
  AcceptedJob: ACCEPTED,
  CanceledJob: CANCELED,
  BatchRecord: BATCH,
  CanceledBatch: CANCELED_BATCH,
  AcceptedBatch: ACCEPTED_BATCH,
  BatchVerdict: VERDICT,
  CaptureStats: {
    from: '2026-11-21T00:00:00.000Z',
    to: '2026-11-22T00:00:00.000Z',
    counted_until: '2026-11-22T00:00:00.000Z',
    bucket: 'day',
    ...COUNTS,
    queue_ms: { p50: 4, p95: 31, p99: 220 },
    total_ms: { p50: 240, p95: 1_900, p99: 6_100 },
    series: [{ start: '2026-11-21T00:00:00.000Z', ...COUNTS }],
  },
  Health: {
    status: 'ok',
    checks: {
      database: { status: 'ok', latency_ms: 1, error: null },
      queue: { status: 'ok', latency_ms: 2, error: null },
      storage: { status: 'ok', latency_ms: 1, error: null },
      workers: { status: 'ok', latency_ms: 1, error: null, count: 2, slots: 4, busy: 1 },
    },
  },
} as const;
