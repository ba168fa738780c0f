import {
  context,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Span,
  type TimeInput,
} from '@opentelemetry/api';
import { AppError } from '@app/kernel';
import { readTraceContext } from './trace-context.js';

/** A span that its owner must end. Its attributes never hold texts of callers or pages, queries, headers or secrets. */
export class OpenSpan {
  constructor(
    private readonly span: Span,
    private readonly own: Context,
  ) {}

  /** Whether anything is recorded: there is a receiver, and the trace is sampled. */
  get isRecorded(): boolean {
    return this.span.isRecording();
  }

  /** Runs `work`, whose spans become children of this one. */
  run<T>(work: () => T): T {
    return context.with(this.own, work);
  }

  /** Attributes that are undefined or null are left out. */
  set(attributes: Readonly<Record<string, string | number | boolean | null | undefined>>): void {
    this.span.setAttributes(definedOf(attributes));
  }

  rename(name: string): void {
    this.span.updateName(name);
  }

  /** Refers to a span of another trace. @param text of `traceContext` */
  link(text: string | null): void {
    const linked = trace.getSpanContext(readTraceContext(text));
    if (linked) this.span.addLink({ context: linked });
  }

  /**
   * Notes the code or the class of an error, never its message, which may quote a caller or a page. An error that is the
   * caller's or the page's does not mark the span as failed.
   */
  fail(error: unknown): void {
    const isOurs = !(error instanceof AppError) || error.isFault;
    this.failWith(errorTypeOf(error), isOurs);
  }

  failWith(type: string, isOurs = true): void {
    this.span.setAttribute('error.type', type);
    if (isOurs) this.span.setStatus({ code: SpanStatusCode.ERROR });
  }

  end(at?: TimeInput): void {
    this.span.end(at);
  }
}

function errorTypeOf(error: unknown): string {
  if (error instanceof AppError) return error.code;
  return error instanceof Error ? error.name : typeof error;
}

export function definedOf(
  attributes: Readonly<Record<string, string | number | boolean | null | undefined>>,
): Attributes {
  const entries = Object.entries(attributes).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(entries);
}
