/**
 * Metrics: the registry of a process, and a small server that exposes it to Prometheus on a port of its own.
 * It measures nothing of the service's work itself. A label is never a URL, a host, an account or an id, because each of its
 * values is a time series.
 */
export { DEPENDENCIES, DependencyMetrics, type Dependency } from './dependency.metrics.js';
export { Lookup } from './lookup.js';
export type { MetricCatalogue, MetricSpec } from './metric-spec.js';
export { MetricsService } from './metrics.service.js';
export { MetricsModule } from './metrics.module.js';
export { MetricsServerModule } from './metrics-server.module.js';
export { SHARED_METRICS } from './shared-metrics.js';
