import { context, propagation, ROOT_CONTEXT, type Context } from '@opentelemetry/api';

/**
 * The place of a span in its trace as a text that a row can hold: the header `traceparent` of W3C Trace Context, and after a
 * space `tracestate` if there is one. The SDK bounds both to some 600 characters.
 */
export function writeTraceContext(of: Context = context.active()): string | null {
  const { traceparent, tracestate } = traceHeaders(of);
  if (traceparent === undefined) return null;
  return tracestate === undefined || tracestate === '' ? traceparent : `${traceparent} ${tracestate}`;
}

interface Carrier {
  traceparent?: string;
  tracestate?: string;
}

/** The headers that continue the trace in another process of ours; none without an active span. */
export function traceHeaders(of: Context = context.active()): Carrier {
  const carrier: Carrier = {};
  propagation.inject(of, carrier);
  return carrier;
}

/** The context of a text of `writeTraceContext`; one without a parent if it is null or not valid. */
export function readTraceContext(text: string | null): Context {
  if (text === null) return ROOT_CONTEXT;
  const [traceparent = '', ...tracestate] = text.split(' ');
  return propagation.extract(ROOT_CONTEXT, { traceparent, tracestate: tracestate.join(' ') });
}
