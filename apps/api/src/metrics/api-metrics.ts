import { SHARED_METRICS, type MetricCatalogue } from '@app/metrics';

/** Buckets in seconds: from an unnoticeable delay to the longest timeout of a capture. */
const ANSWER_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120] as const;
const ACCEPT_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5] as const;

/** The metrics of the API. `capture_service_…` describes the whole service, with the same values from every API. */
export const API_METRICS = {
  requests: {
    kind: 'histogram',
    name: 'capture_http_request_duration_seconds',
    help: 'Duration of HTTP requests, by method, route pattern and status. Status 499: the client disconnected before the response ended.',
    labels: ['method', 'route', 'status'],
    buckets: ANSWER_S,
  },
  acceptance: {
    kind: 'histogram',
    name: 'capture_sync_acceptance_duration_seconds',
    help: 'Time from a valid POST /v1/capture to the commit of its capture. For jobs this is the duration of POST /v1/jobs.',
    labels: [],
    buckets: ACCEPT_S,
  },
  callers: {
    kind: 'gauge',
    name: 'capture_sync_callers',
    help: 'Requests to POST /v1/capture that are waiting for their file.',
    labels: [],
  },
  cacheAnswers: SHARED_METRICS.cacheAnswers,
  streams: {
    kind: 'gauge',
    name: 'capture_event_streams',
    help: 'Open streams of server-sent events.',
    labels: [],
  },
  abandoned: {
    kind: 'counter',
    name: 'capture_sync_abandoned_total',
    help: 'Synchronous captures that were canceled, by reason: client_disconnected, overloaded (no worker was free in time).',
    labels: ['reason'],
  },
  batchRows: {
    kind: 'counter',
    name: 'capture_batch_rows_total',
    help: 'Rows of accepted batches, by result of their validation: valid, rejected (invalid, part of the batch as failed).',
    labels: ['result'],
  },
  databaseUp: {
    kind: 'gauge',
    name: 'capture_database_up',
    help: 'Whether the database responded to this scrape (1 or 0). If not, the capture_service_ gauges are missing.',
    labels: [],
  },
  jobs: {
    kind: 'gauge',
    name: 'capture_service_jobs',
    help: 'Unfinished captures, by lane and state: waiting (in the database, counted up to 10000), dispatched (in the queue), running.',
    labels: ['lane', 'state'],
  },
  oldestJob: {
    kind: 'gauge',
    name: 'capture_service_jobs_oldest_seconds',
    help: 'Time that the oldest unfinished capture has spent in its state, by lane and state; 0 if there is none.',
    labels: ['lane', 'state'],
  },
  batches: {
    kind: 'gauge',
    name: 'capture_service_batches',
    help: 'Unfinished batches, by status: queued (no row has started), running.',
    labels: ['status'],
  },
  endedBatches: {
    kind: 'counter',
    name: 'capture_service_batches_ended_total',
    help: 'Batches that have ended since this API started, by status: completed, canceled. An end is counted about 15 s later.',
    labels: ['status'],
  },
  unannouncedBatches: {
    kind: 'gauge',
    name: 'capture_service_batches_unannounced',
    help: 'Finished batches whose webhook is not in the outbox yet.',
    labels: [],
  },
  dependencyUp: SHARED_METRICS.dependencyUp,
  poolWaiting: SHARED_METRICS.poolWaiting,
  workers: {
    kind: 'gauge',
    name: 'capture_service_workers',
    help: 'Live workers.',
    labels: [],
  },
  slots: {
    kind: 'gauge',
    name: 'capture_service_slots',
    help: 'Slots of the live workers.',
    labels: [],
  },
  busySlots: {
    kind: 'gauge',
    name: 'capture_service_slots_busy',
    help: 'Slots of the live workers that run a capture, as last reported.',
    labels: [],
  },
  healthySlots: {
    kind: 'gauge',
    name: 'capture_service_slots_healthy',
    help: 'Slots of the live workers with a running browser, as last reported.',
    labels: [],
  },
  webhooks: {
    kind: 'gauge',
    name: 'capture_service_webhooks_pending',
    help: 'Unfinished webhook deliveries: due, or waiting for their next attempt.',
    labels: [],
  },
  oldestWebhook: {
    kind: 'gauge',
    name: 'capture_service_webhooks_oldest_due_seconds',
    help: 'Time for which the oldest due webhook delivery has been due; 0 if none is due.',
    labels: [],
  },
} as const satisfies MetricCatalogue;

/** The fields of `GET /metrics/queue`, by which an autoscaler decides how many workers there should be. */
export const QUEUE_LOAD = {
  queued:
    'Captures that further slots would run at once: those in the queue, and waiting jobs that the limits of their accounts and hosts permit, counted up to 10000 and at most 200 of each batch and of the single jobs of each account.',
  running: 'Captures that run.',
  unfinished: '`queued` + `running`: the slots that could be busy now. Scale by this.',
  slots: 'Slots of the live workers that do not drain.',
  workers: 'Live workers that do not drain.',
} as const satisfies Readonly<Record<string, string>>;
