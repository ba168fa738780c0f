import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { context, propagation, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { AppError } from '@app/kernel';
import { inSpan, openSpan, traceContext, traceFields } from './spans.js';
import { traceHeaders } from './trace-context.js';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

const kept = new InMemorySpanExporter();

function start(): void {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(
    new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: kept })] }),
  );
}

const names = (): string[] => kept.getFinishedSpans().map(({ name }) => name);
const spanOf = (name: string) => kept.getFinishedSpans().find((span) => span.name === name);

it('without a receiver nothing is recorded, and work runs as it is', async () => {
  const parent = `00-${TRACE}-${SPAN}-01`;
  const result = await inSpan('work', { parent }, () =>
    Promise.resolve([traceContext(), traceFields(), traceHeaders()]),
  );
  expect(result).toEqual([null, {}, {}]);
});

describe('with a receiver', () => {
  beforeEach(() => {
    if (names().length === 0) start();
    kept.reset();
  });

  afterAll(() => {
    context.disable();
    propagation.disable();
    trace.disable();
  });

  it('a span continues the trace of a stored context, whose tracestate it hands on', async () => {
    const parent = `00-${TRACE}-${SPAN}-01 vendor=a,other=b`;
    const own = await inSpan('work', { parent, kind: 'consumer' }, () => Promise.resolve(traceContext()));
    const span = spanOf('work');
    expect(span?.parentSpanContext).toMatchObject({ traceId: TRACE, spanId: SPAN, isRemote: true });
    expect(own).toBe(`00-${TRACE}-${span?.spanContext().spanId} vendor=a,other=b`.replace(' ', '-01 '));
  });

  it.each([
    '',
    ' ',
    'hello',
    `00-${TRACE}-${SPAN}`,
    `ff-${TRACE}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`,
    null,
  ])('a span without a valid parent (%j) begins a trace', async (parent) => {
    await inSpan('work', { parent }, () => Promise.resolve());
    expect(spanOf('work')?.parentSpanContext).toBeUndefined();
  });

  it('a caller that does not sample is not recorded, and its context still goes on', async () => {
    const parent = `00-${TRACE}-${SPAN}-00`;
    const own = await inSpan('work', { parent }, () => Promise.resolve(traceContext()));
    expect(names()).toEqual([]);
    expect(own).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`));
  });

  it('a tracestate of any length leaves a context of at most 600 characters', async () => {
    const parent = `00-${TRACE}-${SPAN}-01 ${Array.from({ length: 40 }, (_, i) => `k${i}=${'v'.repeat(40)}`).join(',')}`;
    const own = await inSpan('work', { parent }, () => Promise.resolve(traceContext()));
    expect(own?.length).toBeLessThanOrEqual(600);
  });

  it('spans nest across awaits, and log lines name the inner one', async () => {
    const fields = await inSpan('outer', {}, async () => {
      await Promise.resolve();
      return inSpan('inner', {}, () => Promise.resolve(traceFields()));
    });
    const inner = spanOf('inner');
    expect(inner?.parentSpanContext?.spanId).toBe(spanOf('outer')?.spanContext().spanId);
    expect(fields).toEqual({ trace_id: inner?.spanContext().traceId, span_id: inner?.spanContext().spanId });
    expect(traceFields()).toEqual({});
  });

  it('an error is named by its code or class, never by its message', async () => {
    const throwing = (name: string, error: unknown) =>
      inSpan(name, {}, () => Promise.reject(error)).catch(() => undefined);
    await throwing('fault', new TypeError('https://a.example/?token=secret'));
    await throwing('refusal', new AppError('target_forbidden', { detail: 'secret' }));
    expect(spanOf('fault')).toMatchObject({
      attributes: { 'error.type': 'TypeError' },
      status: { code: SpanStatusCode.ERROR },
    });
    expect(spanOf('refusal')).toMatchObject({
      attributes: { 'error.type': 'target_forbidden' },
      status: { code: SpanStatusCode.UNSET },
    });
    expect(kept.getFinishedSpans().flatMap(({ events }) => events)).toEqual([]);
  });

  it('a span leaves out what is not known, and links to the span of a stored context', () => {
    const span = openSpan('work', { facts: { 'capture.id': 'a', 'capture.batch.id': null } });
    span.link(`00-${TRACE}-${SPAN}-01`);
    span.link(null);
    span.end();
    expect(spanOf('work')?.attributes).toEqual({ 'capture.id': 'a' });
    expect(spanOf('work')?.links.map(({ context: linked }) => linked.spanId)).toEqual([SPAN]);
  });
});
