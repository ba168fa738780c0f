import type { MetricCatalogue } from './metric-spec.js';

/** Metrics that both applications serve; the sum over all processes tells of the whole service. */
export const SHARED_METRICS = {
  cacheAnswers: {
    kind: 'counter',
    name: 'capture_cache_answers_total',
    help: 'Captures that asked for the cache, by status: hit, stale, coalesced (with the visit of another capture), miss, bypass (force, and renewals of stale captures). The API counts synchronous captures, and the jobs and rows that the cache answers when they are accepted; workers count the others when they end.',
    labels: ['status'],
  },
  poolWaiting: {
    kind: 'gauge',
    name: 'capture_pool_waiting',
    help: 'Statements of this process that wait for a connection of its pool (DATABASE_POOL_SIZE).',
    labels: [],
  },
  dependencyUp: {
    kind: 'gauge',
    name: 'capture_dependency_up',
    help: 'Whether a dependency works as this process sees it (1 or 0), by dependency: database (responds, accepts writes and has the schema of this version or a later one), queue, store (checked at each scrape), dns (whether a name server answered when a lookup last failed), secrets (SECRETS_KEY opens the secrets in the database).',
    labels: ['dependency'],
  },
} as const satisfies MetricCatalogue;
