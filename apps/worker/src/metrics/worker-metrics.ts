import type { MetricCatalogue } from '@app/metrics';

/** From a capture that finds all ready to one that takes all the time it may have. */
const CAPTURE_S = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120] as const;

/** What a worker shows beside the metrics of its process. */
export const WORKER_METRICS = {
  ended: {
    kind: 'counter',
    name: 'capture_ended_total',
    help: 'Captures that this worker brought to their end, by status, error code (none: it succeeded), source and format. Canceled ones are ended by the API.',
    labels: ['status', 'code', 'source', 'format'],
  },
  phases: {
    kind: 'histogram',
    name: 'capture_phase_duration_seconds',
    help: 'Time of each phase of succeeded captures; queue: from acceptance to the first start; total: from acceptance to the end.',
    labels: ['phase'],
    buckets: CAPTURE_S,
  },
  attempts: {
    kind: 'counter',
    name: 'capture_attempts_total',
    help: 'Attempts by what became of them: succeeded, failed, retried (transient error, queued again), canceled, lost (found canceled, or another worker’s), handed_back (shutdown), abandoned (its worker fell silent, counted by the one that found it).',
    labels: ['outcome'],
  },
  storedBytes: {
    kind: 'counter',
    name: 'capture_stored_bytes_total',
    help: 'Bytes of files of succeeded captures.',
    labels: [],
  },
  slots: {
    kind: 'gauge',
    name: 'capture_worker_slots',
    help: 'Captures that this worker runs at once.',
    labels: [],
  },
  busySlots: {
    kind: 'gauge',
    name: 'capture_worker_slots_busy',
    help: 'Slots whose browser runs a capture.',
    labels: [],
  },
  healthySlots: {
    kind: 'gauge',
    name: 'capture_worker_slots_healthy',
    help: 'Slots whose browser runs.',
    labels: [],
  },
  browsersEnded: {
    kind: 'counter',
    name: 'capture_browsers_ended_total',
    help: 'Browsers that were replaced, by reason: used_up (captures or age), lost (crashed, hung, over a limit, or a capture in it timed out), failed (did not start, or made no page).',
    labels: ['reason'],
  },
  egressRequests: {
    kind: 'counter',
    name: 'capture_egress_requests_total',
    help: 'Requests of pages to the outside; a tunnel to a host counts as one.',
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
    help: 'Bytes on the wire between pages and the outside, both directions.',
    labels: [],
  },
  webhookTries: {
    kind: 'counter',
    name: 'capture_webhook_tries_total',
    help: 'Tries of webhook deliveries by what became of the delivery: delivered, retried (to be tried again), failed (that was the last try), stopped (410 Gone), lost (another sender has it).',
    labels: ['outcome'],
  },
  batchesCorrected: {
    kind: 'counter',
    name: 'capture_batches_corrected_total',
    help: 'Batches whose counts were not what their rows say, and were corrected; anything but 0 is a fault of the service.',
    labels: [],
  },
  upkeepFailures: {
    kind: 'counter',
    name: 'capture_upkeep_failures_total',
    help: 'Upkeep that failed, by work: dispatch, reconcile, announce (ends of batches), statistics, expire, and what expiry deletes (files, leavings, incoming (files half written), keys, records, batches, deliveries, workers). The next round tries again.',
    labels: ['work'],
  },
} as const satisfies MetricCatalogue;
