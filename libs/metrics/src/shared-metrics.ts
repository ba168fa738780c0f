import type { MetricCatalogue } from './metric-spec.js';

/** Metrics that both applications serve; their sum over all processes is that of the service. */
export const SHARED_METRICS = {
  cacheAnswers: {
    kind: 'counter',
    name: 'capture_cache_answers_total',
    help: 'Captures that asked for the cache, by status: hit, stale, coalesced (with the visit of another capture), miss, bypass (force, and renewals of stale captures). The API counts synchronous captures, and the jobs and rows that the cache answers when they are accepted; workers count the others when they end.',
    labels: ['status'],
  },
} as const satisfies MetricCatalogue;
