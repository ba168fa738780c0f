/**
 * Metrics: one registry for each process, and a small server on a port of its own that shows it to Prometheus.
 * It never measures by itself what the process is for, and a label is never a URL, a host, an account or an id: each value
 * of a label is a time series for ever.
 */
export { Lookup } from './lookup.js';
export type { MetricCatalogue, MetricSpec } from './metric-spec.js';
export { MetricsService } from './metrics.service.js';
export { MetricsModule } from './metrics.module.js';
export { MetricsServerModule } from './metrics-server.module.js';
