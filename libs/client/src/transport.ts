import { CaptureError } from './capture-error.js';
import { baseUrlOf, checkCall, checkSettings } from './checks.js';
import { createClient, createConfig, type Client } from './generated/openapi/client/index.js';
import { VERSION } from './generated/version.js';
import { redirectError, responseError } from './response-error.js';
import { RetryPlan, sleep } from './retry-plan.js';
import { Watchdog, withUrl } from './watchdog.js';

const DEFAULT_TIMEOUT_MS = 60_000;
const DEFAULT_RETRIES = 2;

/** How the client reaches the service. */
export interface TransportOptions {
  /** URL of the service, such as `https://capture.example.com`. */
  readonly baseUrl: string;
  /** The API key. Without it only what is public can be called. */
  readonly key?: string | undefined;
  /** Replaces the global `fetch`, for example by one that uses a proxy. */
  readonly fetch?: typeof fetch | undefined;
  /**
   * Time in ms for an answer to begin, and between its parts; for each attempt. Without it 60 s, and for a capture as long
   * as its own time limits allow.
   */
  readonly timeoutMs?: number | undefined;
  /** How often a call that may succeed is repeated. Default: 2. */
  readonly retries?: number | undefined;
  /** Stands before the client's own name in `User-Agent`. */
  readonly userAgent?: string | undefined;
}

/** The settings of one call, its last argument. */
export interface CallOptions {
  /** Aborts the call, which then throws the reason of the signal at once. */
  readonly signal?: AbortSignal | undefined;
  /** As in the settings of the client. */
  readonly timeoutMs?: number | undefined;
  /** As in the settings of the client. */
  readonly retries?: number | undefined;
  /** Replaces the key that the client makes for each POST: a call that is repeated with it is executed once. */
  readonly idempotencyKey?: string | undefined;
  /**
   * Called before each attempt of a POST with its Idempotency-Key, by which `captures.list({ idempotency_key })` finds the
   * capture while it runs.
   */
  readonly onIdempotencyKey?: ((key: string) => void) | undefined;
}

/**
 * Reads the body of a successful response and returns what the generated functions get instead of it. It is part of an
 * attempt: when the connection is cut in the middle of the body, the request is repeated.
 */
export type Consumer = (response: Response) => Promise<Response>;

/** A request as it is sent, as often as necessary. */
interface Exchange {
  readonly call: CallOptions;
  readonly consume: Consumer;
  /** Time limit of this kind of request, if nobody has set one. */
  readonly defaultTimeoutMs?: number | undefined;
  /** Whether the body is read after the exchange; it then may pause for this time. */
  readonly streamIdleMs?: number | undefined;
  /** Whether a response with an error status is the answer nevertheless. */
  readonly accepts?: ((response: Response) => boolean) | undefined;
}

/** What each generated function takes besides its own parameters. */
export interface Wire {
  readonly client: Client;
  readonly fetch: typeof fetch;
  readonly throwOnError: true;
}

interface Sent {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: ArrayBuffer | undefined;
}

/** Sends the requests of the generated functions: with the key, time limits, retries, and errors that say what failed. */
export class Transport {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly retries: number;
  private readonly client: Client;

  constructor(private readonly options: TransportOptions) {
    this.baseUrl = baseUrlOf(options.baseUrl);
    this.retries = options.retries ?? DEFAULT_RETRIES;
    checkSettings(options);
    this.client = createClient(createConfig({ baseUrl: this.baseUrl }));
  }

  wire(exchange: Exchange): Wire {
    checkCall(exchange.call);
    const send = async (input: RequestInfo | URL): Promise<Response> =>
      this.send(await this.sentOf(input as Request), exchange);
    return { client: this.client, fetch: send, throwOnError: true };
  }

  private async sentOf(request: Request): Promise<Sent> {
    const { url, method } = request;
    const headers = new Headers(request.headers);
    if (this.options.key !== undefined) headers.set('Authorization', `Bearer ${this.options.key}`);
    const userAgent = this.userAgent();
    if (userAgent !== undefined) headers.set('User-Agent', userAgent);
    return { url, method, headers, body: request.body === null ? undefined : await request.arrayBuffer() };
  }

  private async send(sent: Sent, exchange: Exchange): Promise<Response> {
    const { call, defaultTimeoutMs = DEFAULT_TIMEOUT_MS } = exchange;
    const timeoutMs = call.timeoutMs ?? this.options.timeoutMs ?? defaultTimeoutMs;
    const retries = call.retries ?? this.retries;
    const plan = new RetryPlan({
      method: sent.method,
      retries,
      timeoutMs,
      idempotencyKey: call.idempotencyKey,
    });
    for (;;) {
      if (plan.idempotencyKey !== undefined) {
        sent.headers.set('Idempotency-Key', plan.idempotencyKey);
        call.onIdempotencyKey?.(plan.idempotencyKey);
      }
      try {
        return await this.attempt(sent, exchange, timeoutMs);
      } catch (error) {
        call.signal?.throwIfAborted();
        const pause = error instanceof CaptureError ? plan.nextPauseMs(error) : undefined;
        if (pause === undefined) throw error;
        await sleep(pause, call.signal);
      }
    }
  }

  private async attempt(sent: Sent, exchange: Exchange, timeoutMs: number): Promise<Response> {
    const { call, consume, streamIdleMs, accepts } = exchange;
    const watchdog = new Watchdog(timeoutMs, call.signal, sent.url);
    let isStreamed = false;
    try {
      const response = watchdog.guard(await this.fetch(sent, watchdog));
      if (!response.ok && !accepts?.(response)) {
        throw responseError(response, await bytesOf(response));
      }
      watchdog.feed(streamIdleMs);
      const consumed = await consume(response);
      isStreamed = streamIdleMs !== undefined && response.body !== null;
      return consumed;
    } finally {
      if (!isStreamed) watchdog.cancel();
    }
  }

  private async fetch(sent: Sent, watchdog: Watchdog): Promise<Response> {
    const { url, ...init } = sent;
    // A method of an object would get the object as `this`, which the fetch of browsers refuses.
    const send = this.options.fetch ?? globalThis.fetch;
    let response: Response;
    try {
      response = await send(url, { ...init, signal: watchdog.signal, redirect: 'manual' });
    } catch (error) {
      throw watchdog.explain(error);
    }
    const { status, type } = response;
    if (type === 'opaqueredirect' || (status >= 300 && status < 400)) throw redirectError(response, url);
    return response.url === '' ? withUrl(response, url) : response;
  }

  /** Browsers send their own, and ask the service for leave to send another. */
  private userAgent(): string | undefined {
    const isBrowser = !('process' in globalThis) && !('Deno' in globalThis);
    const own = `capture-service-client/${VERSION}`;
    const { userAgent } = this.options;
    return isBrowser ? undefined : userAgent === undefined ? own : `${userAgent} ${own}`;
  }
}

/** The whole body. Unlike `arrayBuffer()`, it fails with the error of the stream on every platform. */
export async function bytesOf(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of chunksOf(response)) chunks.push(chunk);
  const bytes = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

/** The parts of the body as they arrive; streams of some browsers cannot be iterated. The rest is dropped when the caller stops. */
export async function* chunksOf({ body }: Response): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    // Has no effect after the end.
    await reader.cancel().catch(() => undefined);
  }
}
