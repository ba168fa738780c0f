import { SHARED_METRICS, type MetricCatalogue } from '@app/metrics';

/** Buckets in seconds: from a capture that finds everything ready to the longest timeout. */
const CAPTURE_S = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120] as const;

/** Buckets in seconds: from an idle service to a batch that takes a day. */
const WAIT_S = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 1_800, 7_200, 28_800, 86_400] as const;

/** The metrics of a worker. */
export const WORKER_METRICS = {
  ended: {
    kind: 'counter',
    name: 'capture_ended_total',
    help: 'Captures that this worker finished, by status, error code (none: succeeded), source and format. Canceled captures are finished by the API and not counted.',
    labels: ['status', 'code', 'source', 'format'],
  },
  phases: {
    kind: 'histogram',
    name: 'capture_phase_duration_seconds',
    help: 'Duration of each phase of succeeded captures. queue: from acceptance to the first start; total: from acceptance to the end.',
    labels: ['phase'],
    buckets: CAPTURE_S,
  },
  queueWait: {
    kind: 'histogram',
    name: 'capture_queue_wait_seconds',
    help: 'Time from the acceptance of a capture to its first start, however it ends, by lane: interactive (synchronous captures), background (jobs and rows of batches).',
    labels: ['lane'],
    buckets: WAIT_S,
  },
  blockedRequests: {
    kind: 'counter',
    name: 'capture_blocked_requests_total',
    help: 'Requests of pages that captures blocked, by reason: ads, trackers, chats, annoyances (filter lists), rules (options of the capture), forbidden (egress guard).',
    labels: ['reason'],
  },
  cacheAnswers: SHARED_METRICS.cacheAnswers,
  dependencyUp: SHARED_METRICS.dependencyUp,
  poolWaiting: SHARED_METRICS.poolWaiting,
  attempts: {
    kind: 'counter',
    name: 'capture_attempts_total',
    help: 'Attempts, by outcome: succeeded, failed, retried (transient error, queued again), canceled, lost (already canceled or taken over by another worker), handed_back (shutdown, no name server answered, or a session that is logged in first), abandoned (its worker died; counted by the worker that detects it).',
    labels: ['outcome'],
  },
  storedBytes: {
    kind: 'counter',
    name: 'capture_stored_bytes_total',
    help: 'Size of the files of succeeded captures in bytes.',
    labels: [],
  },
  slots: {
    kind: 'gauge',
    name: 'capture_worker_slots',
    help: 'Slots of this worker, the number of captures it can run at once.',
    labels: [],
  },
  usableSlots: {
    kind: 'gauge',
    name: 'capture_worker_slots_usable',
    help: 'Slots that captures may use now: fewer than all while those that run use all cores (WORKER_SLOTS=auto).',
    labels: [],
  },
  busySlots: {
    kind: 'gauge',
    name: 'capture_worker_slots_busy',
    help: 'Slots that run a capture.',
    labels: [],
  },
  healthySlots: {
    kind: 'gauge',
    name: 'capture_worker_slots_healthy',
    help: 'Slots with a running browser, and those that need none now.',
    labels: [],
  },
  browsersEnded: {
    kind: 'counter',
    name: 'capture_browsers_ended_total',
    help: 'Browsers that ended, by reason: used_up (number of captures or age), lost (crash, hang, exceeded limit, or timeout of a capture), failed (did not start or open a page), idle (no capture needed it).',
    labels: ['reason'],
  },
  egressRequests: {
    kind: 'counter',
    name: 'capture_egress_requests_total',
    help: 'Requests of pages through the egress proxy; a tunnel to a host counts as one.',
    labels: [],
  },
  egressRefused: {
    kind: 'counter',
    name: 'capture_egress_refused_total',
    help: 'Requests of pages that the egress guard refused.',
    labels: [],
  },
  egressBytes: {
    kind: 'counter',
    name: 'capture_egress_bytes_total',
    help: 'Bytes sent and received by pages, measured on the wire.',
    labels: [],
  },
  webhookTries: {
    kind: 'counter',
    name: 'capture_webhook_attempts_total',
    help: 'Attempts of webhook deliveries, by outcome: delivered, retried (another attempt follows), failed (no attempts left), stopped (410 Gone), lost (another sender has taken over).',
    labels: ['outcome'],
  },
  filterRules: {
    kind: 'gauge',
    name: 'capture_filter_rules',
    help: 'Rules of the filter lists of this worker, by kind: ads, trackers, chats, annoyances, cookies.',
    labels: ['kind'],
  },
  filterListErrors: {
    kind: 'gauge',
    name: 'capture_filter_list_errors',
    help: 'Filter lists that could not be loaded or updated, of which the last good content is in use; `/readyz` of the worker says why.',
    labels: [],
  },
  batchesCorrected: {
    kind: 'counter',
    name: 'capture_batches_corrected_total',
    help: 'Batches whose counts differed from their rows and were corrected; anything but 0 is a bug.',
    labels: [],
  },
  upkeepFailures: {
    kind: 'counter',
    name: 'capture_upkeep_failures_total',
    help: 'Failed runs of upkeep, by task: dispatch, accounting, accounts, announce, audit, browser_folders, end_monitor_checks, expire, expire_crawls, filter_lists, monitor_checks, reconcile, run_crawls, schedule_monitors, sessions, settle, statistics, and the steps of expire: files, orphaned_files, incoming (partial uploads), keys, records, batches, cache_entries, shared_files, deliveries, workers. The next run tries again.',
    labels: ['task'],
  },
} as const satisfies MetricCatalogue;
