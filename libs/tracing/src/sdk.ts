import { hostname } from 'node:os';
import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type Sampler,
} from '@opentelemetry/sdk-trace';
import type { Env } from '@app/config';
import { newId, withTimeout } from '@app/kernel';
import { readPairs } from './name-value-pairs.js';
import { WatchedExporter } from './watched-exporter.js';

/** The receiver must answer within this time; spans wait in memory meanwhile. */
const EXPORT_TIMEOUT_MS = 5_000;
/** Spans that wait to be sent; further ones are dropped. A span takes about 1 kB. */
const MAX_WAITING = 8_192;
/** How long spans wait to be sent together. */
const SEND_EVERY_MS = 2_000;
/** How long a process that ends waits for the receiver. */
const STOP_MS = 3_000;
/** Longer values are cut; ours are ids, codes and host names. */
const MAX_VALUE_LENGTH = 300;

/**
 * Starts to record spans, and to send them in the background to the receiver at `endpoint`. Returns what sends the last
 * ones, for a few seconds at most, and never rejects.
 */
export function startSdk(env: Env, endpoint: string, service: string): () => Promise<void> {
  const exporter = new OTLPTraceExporter({
    url: new URL('v1/traces', `${endpoint.replace(/\/+$/, '')}/`).href,
    headers: readPairs('OTEL_EXPORTER_OTLP_HEADERS', env.OTEL_EXPORTER_OTLP_HEADERS ?? ''),
    timeoutMillis: EXPORT_TIMEOUT_MS,
  });
  const provider = new TracerProvider({
    sampler: samplerOf(env),
    spanLimits: { attributeValueLengthLimit: MAX_VALUE_LENGTH },
    resource: resourceFromAttributes({
      ...readPairs('OTEL_RESOURCE_ATTRIBUTES', env.OTEL_RESOURCE_ATTRIBUTES),
      'service.name': env.OTEL_SERVICE_NAME ?? service,
      'service.instance.id': newId(),
      'host.name': hostname(),
      'process.pid': process.pid,
    }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new WatchedExporter(exporter),
        maxQueueSize: MAX_WAITING,
        scheduledDelayMillis: SEND_EVERY_MS,
        exportTimeoutMillis: 2 * EXPORT_TIMEOUT_MS,
      }),
    ],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  return () => withTimeout(provider.shutdown(), STOP_MS, 'sending the last spans').catch(() => undefined);
}

/** The samplers of OpenTelemetry's environment variables. */
function samplerOf({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: ratio }: Env): Sampler {
  const root = (kind: string): Sampler => {
    if (kind.endsWith('always_off')) return new AlwaysOffSampler();
    return kind.endsWith('traceidratio') ? new TraceIdRatioBasedSampler(ratio) : new AlwaysOnSampler();
  };
  return name.startsWith('parentbased_') ? new ParentBasedSampler({ root: root(name) }) : root(name);
}
