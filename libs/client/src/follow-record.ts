import { CaptureError } from './capture-error.js';
import { onAbort } from './on-abort.js';
import { unexpectedResponse } from './response-error.js';
import { pauseMs, sleep } from './retry-plan.js';
import type { CallOptions, Consumer, Transport, Wire } from './transport.js';
import { timerMs } from './watchdog.js';

/** The service sends a sign of life every 15 s: after three of them the connection is dead. */
const STREAM_IDLE_MS = 45_000;

/** A service that restarts is back before that; the record of a batch that takes hours must not be lost to it. */
const MAX_OUTAGE_MS = 120_000;

const NO_CONTENT = 204;

interface StreamEvent {
  readonly id?: string;
}

/** What the generated function of an event stream takes from here. */
export interface StreamWire extends Wire {
  readonly signal: AbortSignal;
  readonly headers: { readonly 'Last-Event-ID'?: string };
  readonly sseMaxRetryAttempts: 1;
  readonly onSseEvent: (event: StreamEvent) => void;
  readonly onSseError: (error: unknown) => void;
}

/** A record that changes until it is final, and the stream of its events. */
export interface Followed<R> {
  readonly open: (wire: StreamWire) => Promise<{ stream: AsyncIterable<unknown> }>;
  readonly isFinal: (record: R) => boolean;
}

/**
 * The records of an event stream up to the final one. A stream that ends before is opened again with the id of the last
 * event, for as long as the service may need to restart.
 *
 * The generated client makes one attempt for each connection: it does not reconnect when a stream ends in order, as it does
 * at a restart, it counts attempts without end, and its pauses cannot be aborted.
 */
export async function* followRecord<R>(
  transport: Transport,
  followed: Followed<R>,
  call: CallOptions = {},
): AsyncGenerator<R, void, undefined> {
  const outage = new Outage(call.retries ?? transport.retries);
  let lastEventId: string | undefined;
  for (;;) {
    const connection = new Connection(transport, call, lastEventId);
    try {
      const { stream } = await followed.open(connection.wire());
      for await (const record of stream as AsyncIterable<R>) {
        outage.over();
        if (connection.eventId !== undefined && connection.eventId === lastEventId) continue;
        lastEventId = connection.eventId;
        yield record;
        if (followed.isFinal(record)) return;
      }
    } finally {
      connection.close();
    }
    call.signal?.throwIfAborted();
    if (connection.isAtEnd) return;
    await sleep(outage.pauseMs(connection.failure), call.signal);
  }
}

/** Waits for the final record, however long that takes, or `timeoutMs`, after which `name` continues without the caller. */
export async function waitForEnd<R>(
  follow: (call: CallOptions) => AsyncIterable<R>,
  { name, timeoutMs, onChange, call }: WaitTerms<R>,
): Promise<R> {
  call.signal?.throwIfAborted();
  const deadline = new AbortController();
  const timer =
    timeoutMs === undefined
      ? undefined
      : setTimeout(() => {
          const detail = `${name} has not ended after ${timeoutMs / 1_000} s, and continues.`;
          deadline.abort(new CaptureError({ code: 'timeout', detail, retryable: true }));
        }, timerMs(timeoutMs));
  const forgetCaller = onAbort(call.signal, () => {
    deadline.abort(call.signal?.reason);
  });
  try {
    let last: R | undefined;
    for await (const record of follow({ ...call, signal: deadline.signal })) {
      last = record;
      onChange?.(record);
    }
    if (last === undefined)
      throw new CaptureError({ code: 'invalid_response', detail: `${name} has no record.` });
    return last;
  } finally {
    clearTimeout(timer);
    forgetCaller();
  }
}

interface WaitTerms<R> {
  readonly name: string;
  readonly timeoutMs?: number | undefined;
  readonly onChange?: ((record: R) => void) | undefined;
  readonly call: CallOptions;
}

/** One connection to an event stream. */
class Connection {
  /** The id of the latest event. */
  eventId: string | undefined;
  failure: unknown;
  /** The service has no more events. */
  isAtEnd = false;
  private readonly controller = new AbortController();
  private readonly forgetCaller: () => void;

  constructor(
    private readonly transport: Transport,
    private readonly call: CallOptions,
    private readonly lastEventId: string | undefined,
  ) {
    call.signal?.throwIfAborted();
    this.forgetCaller = onAbort(call.signal, () => {
      this.controller.abort(call.signal?.reason);
    });
  }

  wire(): StreamWire {
    const { signal } = this.controller;
    const consume: Consumer = async (response) => {
      this.isAtEnd = response.status === NO_CONTENT;
      const isStream = /^text\/event-stream(?:;|$)/i.test(response.headers.get('content-type') ?? '');
      if (!this.isAtEnd && !isStream) throw unexpectedResponse(response, 'an event stream');
      return response;
    };
    // Reconnecting is decided here, by what has arrived.
    const call = { ...this.call, signal, retries: 0 };
    return {
      ...this.transport.wire({ call, consume, streamIdleMs: STREAM_IDLE_MS }),
      signal,
      headers: this.lastEventId === undefined ? {} : { 'Last-Event-ID': this.lastEventId },
      sseMaxRetryAttempts: 1,
      onSseEvent: ({ id }) => {
        this.eventId = id;
      },
      onSseError: (error) => {
        this.failure = error;
      },
    };
  }

  /** Also ends a connection whose records nobody reads any more. */
  close(): void {
    this.forgetCaller();
    this.controller.abort();
  }
}

/** Counts attempts without a record, and decides when to give up. */
class Outage {
  private attempts = 0;
  private hasRecord = false;
  private since: number | undefined;

  constructor(private readonly retries: number) {}

  over(): void {
    this.attempts = 0;
    this.hasRecord = true;
    this.since = undefined;
  }

  /**
   * Time in ms until the next attempt.
   *
   * @throws the failure when it is final
   */
  pauseMs(failure: unknown): number {
    const error: unknown = failure ?? cutOff();
    if (!(error instanceof CaptureError) || !error.retryable) throw error;
    this.since ??= Date.now();
    const mayReconnect = this.hasRecord
      ? Date.now() - this.since < MAX_OUTAGE_MS
      : this.attempts < this.retries;
    const pause = pauseMs(this.attempts++, error);
    if (!mayReconnect || pause === undefined) throw error;
    return pause;
  }
}

function cutOff(): CaptureError {
  const detail = 'The event stream ended before the final record.';
  return new CaptureError({ code: 'connection_failed', detail, retryable: true });
}
