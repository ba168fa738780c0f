import { context, SpanKind, trace } from '@opentelemetry/api';
import { definedOf, OpenSpan } from './open-span.js';
import { readTraceContext, writeTraceContext } from './trace-context.js';

/** The name of what makes the spans, as OpenTelemetry calls it the instrumentation scope. */
const tracer = trace.getTracer('capture-service');

/** Attributes by their names: those of OpenTelemetry's semantic conventions, else `capture.…`. */
export type SpanFacts = Readonly<Record<string, string | number | boolean | null | undefined>>;

export interface SpanOptions {
  readonly kind?: keyof typeof KINDS;
  readonly facts?: SpanFacts;
  /** A text of `traceContext`, or null for a span without a parent. Without it the parent is the active span. */
  readonly parent?: string | null;
  /** In ms since the epoch; now by default. */
  readonly startedAt?: number;
}

const KINDS = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const;

/** Opens a span, which becomes active in its `run` only. */
export function openSpan(
  name: string,
  { kind = 'internal', facts = {}, parent, startedAt }: SpanOptions = {},
): OpenSpan {
  const above = parent === undefined ? context.active() : readTraceContext(parent);
  const attributes = definedOf(facts);
  const span = tracer.startSpan(name, { kind: KINDS[kind], attributes, startTime: startedAt }, above);
  return new OpenSpan(span, trace.setSpan(above, span));
}

/** Settles as `work` does, which runs in a span. */
export async function inSpan<T>(
  name: string,
  options: SpanOptions,
  work: (span: OpenSpan) => Promise<T>,
): Promise<T> {
  const span = openSpan(name, options);
  try {
    return await span.run(() => work(span));
  } catch (error) {
    span.fail(error);
    throw error;
  } finally {
    span.end();
  }
}

/** The place of the active span in its trace, for a row; null when there is none. */
export function traceContext(): string | null {
  return writeTraceContext();
}

/** The fields of a log line that name the active span; none without one. */
export function traceFields(): { readonly trace_id?: string; readonly span_id?: string } {
  const active = trace.getSpanContext(context.active());
  return active ? { trace_id: active.traceId, span_id: active.spanId } : {};
}
