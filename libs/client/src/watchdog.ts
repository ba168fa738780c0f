import { CaptureError } from './capture-error.js';
import { onAbort } from './on-abort.js';
import { hostOf } from './response-error.js';

/** Timers take no more, about 24 days; `Infinity` means that as well. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Browsers give these responses an empty stream as their body, but make no response of such a status with a stream. */
const HAVE_NO_BODY = [204, 205, 304];

/**
 * Ends an attempt when nothing has arrived for some time, or when the caller aborts, and says which of both it was. The
 * time starts again with each part of the response, so that a large file may take as long as it needs.
 */
export class Watchdog {
  private readonly controller = new AbortController();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isExpired = false;
  private isClosed = false;
  private readonly forgetCaller: () => void;

  constructor(
    private timeoutMs: number,
    private readonly caller: AbortSignal | undefined,
    private readonly url: string,
  ) {
    caller?.throwIfAborted();
    this.forgetCaller = onAbort(caller, () => {
      this.controller.abort(caller?.reason);
      // Nobody reads the rest, so that nothing else would end the timer, which keeps the process alive.
      this.close();
    });
    this.feed();
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Something has arrived. @param timeoutMs the time from now on, if it changes */
  feed(timeoutMs = this.timeoutMs): void {
    this.timeoutMs = timeoutMs;
    clearTimeout(this.timer);
    if (this.isClosed) return;
    this.timer = setTimeout(() => {
      this.isExpired = true;
      this.controller.abort();
    }, timerMs(timeoutMs));
  }

  /** Ends the attempt, with what has not been read of its response. */
  cancel(): void {
    this.close();
    this.controller.abort();
  }

  private close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
    this.forgetCaller();
  }

  /** What the caller learns about an error of fetch, which says only that something failed. */
  explain(error: unknown): unknown {
    if (this.caller?.aborted) return this.caller.reason;
    const host = hostOf(this.url);
    if (this.isExpired) {
      const detail = `${host} sent nothing for ${this.timeoutMs / 1_000} s.`;
      return new CaptureError({ code: 'timeout', detail, retryable: true });
    }
    const detail = `The connection to ${host} failed: ${reasonOf(error)}.`;
    return new CaptureError({ code: 'connection_failed', detail, retryable: true, cause: error });
  }

  /** The response, whose body feeds the watchdog while it is read, fails with an explained error, and closes it at its end. */
  guard(response: Response): Response {
    const { body, status, statusText, headers } = response;
    if (body === null || HAVE_NO_BODY.includes(status)) {
      this.close();
      return response;
    }
    const reader = body.getReader();
    const stream = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        try {
          const { done, value } = await reader.read();
          this.feed();
          if (!done) {
            controller.enqueue(value);
            return;
          }
          this.close();
          controller.close();
        } catch (error) {
          this.close();
          controller.error(this.explain(error));
        }
      },
      cancel: async (reason) => {
        this.close();
        await reader.cancel(reason);
      },
    });
    return withUrl(new Response(stream, { status, statusText, headers }), response.url);
  }
}

/** The time for a timer, which would end at once if it were given more than it takes. */
export function timerMs(ms: number): number {
  return Math.min(ms, MAX_TIMER_MS);
}

/** A copy of a response has no URL, which the texts of errors name. */
export function withUrl(response: Response, url: string): Response {
  return Object.defineProperty(response, 'url', { value: url });
}

/** The error of fetch is only `fetch failed`; its cause has the reason. */
function reasonOf(error: unknown): string {
  const { message, cause } = factsOf(error);
  const inner = factsOf(cause);
  // That of several addresses which all refused is empty.
  const text = (inner.message || message) ?? String(error);
  const { code } = inner;
  return code === undefined || text.includes(code) ? text : `${text} (${code})`.trim();
}

/** Errors of fetch may come from another realm, where `Error` is another class. */
function factsOf(error: unknown): { message?: string; code?: string; cause?: unknown } {
  if (typeof error !== 'object' || error === null) return {};
  const { message, code, cause } = error as Record<string, unknown>;
  return {
    cause,
    ...(typeof message === 'string' && { message }),
    ...(typeof code === 'string' && { code }),
  };
}
