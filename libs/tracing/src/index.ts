/**
 * Tracing: spans of the work of one request, over all processes, for OpenTelemetry. Without an endpoint nothing is
 * recorded and no SDK is loaded. It knows nothing of captures, and nothing that it does may fail or delay them.
 */
export { inSpan, openSpan, traceContext, traceFields, type SpanFacts, type SpanOptions } from './spans.js';
export { traceHeaders } from './trace-context.js';
export type { OpenSpan } from './open-span.js';
export { startTracing, type ServiceName, type StopTracing } from './start-tracing.js';
