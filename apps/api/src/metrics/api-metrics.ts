import type { MetricCatalogue } from '@app/metrics';

/** An answer within this is one that nobody noticed; a capture may take as long as its timeout lets it. */
const ANSWER_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120] as const;
const ACCEPT_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5] as const;

/** What the API shows beside the metrics of its process. `capture_service_…` is of the whole service: each API says the same. */
export const API_METRICS = {
  requests: {
    kind: 'histogram',
    name: 'capture_http_request_duration_seconds',
    help: 'HTTP requests by method, route pattern and status; status 499: the client hung up before the end of the answer.',
    labels: ['method', 'route', 'status'],
    buckets: ANSWER_S,
  },
  acceptance: {
    kind: 'histogram',
    name: 'capture_sync_acceptance_duration_seconds',
    help: 'Time from a valid POST /v1/capture to the committed row of its capture; that of a job is the time of its POST.',
    labels: [],
    buckets: ACCEPT_S,
  },
  callers: {
    kind: 'gauge',
    name: 'capture_sync_callers',
    help: 'Callers of POST /v1/capture who wait for their file.',
    labels: [],
  },
  streams: {
    kind: 'gauge',
    name: 'capture_event_streams',
    help: 'Streams of server-sent events that are open.',
    labels: [],
  },
  abandoned: {
    kind: 'counter',
    name: 'capture_sync_abandoned_total',
    help: 'Synchronous captures that ended without their file: the caller hung up, or no worker was free in time (overloaded).',
    labels: ['reason'],
  },
  batchRows: {
    kind: 'counter',
    name: 'capture_batch_rows_total',
    help: 'Rows of accepted batches by verdict: valid, rejected (not valid, and part of their batch as failed).',
    labels: ['verdict'],
  },
  databaseUp: {
    kind: 'gauge',
    name: 'capture_database_up',
    help: 'Whether the database answered at this scrape; the gauges of the service are missing when it did not.',
    labels: [],
  },
  jobs: {
    kind: 'gauge',
    name: 'capture_service_jobs',
    help: 'Unfinished captures by lane and state: waiting in the database (counted up to 100000), dispatched to the queue, running.',
    labels: ['lane', 'state'],
  },
  oldestJob: {
    kind: 'gauge',
    name: 'capture_service_jobs_oldest_seconds',
    help: 'Time for which the oldest unfinished capture has been in its state, by lane and state; 0 when there is none.',
    labels: ['lane', 'state'],
  },
  batches: {
    kind: 'gauge',
    name: 'capture_service_batches',
    help: 'Unfinished batches by status: queued (none of its rows was begun), running.',
    labels: ['status'],
  },
  unannouncedBatches: {
    kind: 'gauge',
    name: 'capture_service_batches_unannounced',
    help: 'Batches that have ended and whose webhook is not in the outbox yet.',
    labels: [],
  },
  workers: {
    kind: 'gauge',
    name: 'capture_service_workers',
    help: 'Workers that are alive.',
    labels: [],
  },
  slots: {
    kind: 'gauge',
    name: 'capture_service_slots',
    help: 'Captures that the live workers run at once.',
    labels: [],
  },
  busySlots: {
    kind: 'gauge',
    name: 'capture_service_slots_busy',
    help: 'Slots of the live workers that run a capture, as they last reported.',
    labels: [],
  },
  healthySlots: {
    kind: 'gauge',
    name: 'capture_service_slots_healthy',
    help: 'Slots of the live workers whose browser runs, as they last reported.',
    labels: [],
  },
  webhooks: {
    kind: 'gauge',
    name: 'capture_service_webhooks_pending',
    help: 'Webhook deliveries that are not over: due, or waiting for their next try.',
    labels: [],
  },
  oldestWebhook: {
    kind: 'gauge',
    name: 'capture_service_webhooks_oldest_due_seconds',
    help: 'Time for which the webhook delivery that is due for longest has been; 0 when none is due.',
    labels: [],
  },
} as const satisfies MetricCatalogue;
