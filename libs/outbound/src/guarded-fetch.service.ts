import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { buildConnector, Client, errors } from 'undici';
import { hostOf, portOf } from '@app/kernel';
import { EgressGuard } from './egress-guard.js';
import { Dialer } from './proxy/dialer.js';
import { EgressFailure, type EgressFailureKind } from './proxy/egress-failure.js';
import { Resolver } from './resolver.js';

/** Larger headers are refused. */
const MAX_HEADER_BYTES = 16_384;
/** The part of a response body that is read and dropped, so that a server can send a short one without an error. */
const MAX_BODY_BYTES = 1_024;

interface GuardedCall {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** For the whole request: resolving, connecting, sending and the response. */
  readonly timeoutMs: number;
  /** Cancels the request. */
  readonly signal: AbortSignal;
}

export interface GuardedRequest extends GuardedCall {
  readonly method: 'POST';
  readonly body: string;
}

export interface GuardedDownload extends GuardedCall {
  /** A longer body ends the request as `too_large`. */
  readonly maxBytes: number;
}

/** Why there was no response; it never contains the address. */
export type FetchFailure = 'forbidden' | 'dns' | 'connection' | 'tls' | 'timeout' | 'invalid';

interface Answer {
  readonly kind: 'answered';
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
}

export type FetchOutcome = Answer | { readonly kind: FetchFailure };

export type DownloadOutcome =
  (Answer & { readonly body: Buffer }) | { readonly kind: FetchFailure | 'too_large' };

/**
 * The HTTP client for addresses that callers choose. Each request opens a connection to an address that the guard has just
 * checked: a kept connection would outlive what its name resolves to. It follows no redirect and uses no proxy.
 */
@Injectable()
export class GuardedFetchService {
  constructor(
    private readonly guard: EgressGuard,
    private readonly resolver: Resolver,
  ) {}

  /** Resolves with a failure rather than reject; rejects only with the reason of `signal` when that aborts. */
  send(request: GuardedRequest): Promise<FetchOutcome> {
    return this.within(request, (client) => exchange(client, request));
  }

  /** As `send`, with GET, and with the whole body of the response, as it was sent. */
  get(request: GuardedDownload): Promise<DownloadOutcome> {
    return this.within<DownloadOutcome>(request, (client) => download(client, request));
  }

  private async within<Outcome>(
    { url, timeoutMs, signal }: GuardedCall,
    use: (client: Client) => Promise<Outcome>,
  ): Promise<Outcome | { readonly kind: FetchFailure }> {
    signal.throwIfAborted();
    if (!this.admits(url)) return { kind: 'forbidden' };
    const closing = new AbortController();
    const client = this.clientFor(url, closing.signal);
    const abort = (): void => {
      closing.abort(signal.reason);
    };
    const timer = setTimeout(() => {
      closing.abort(new EgressFailure('timeout'));
    }, timeoutMs);
    signal.addEventListener('abort', abort);
    try {
      return await use(client);
    } catch (error) {
      signal.throwIfAborted();
      return { kind: failureOf(error) };
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      closing.abort();
    }
  }

  private admits(url: URL): boolean {
    try {
      this.guard.admit(url);
      return true;
    } catch {
      return false;
    }
  }

  private clientFor(url: URL, closing: AbortSignal): Client {
    const client = new Client(url.origin, {
      connect: this.connectorFor(url, closing),
      maxHeaderSize: MAX_HEADER_BYTES,
      // At most one request on a connection.
      pipelining: 0,
      // The caller's timeout covers everything.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    // In undici an aborted request still waits until it is connected; destroying its client ends it at once.
    closing.addEventListener('abort', () => void client.destroy(closing.reason as Error));
    return client;
  }

  private connectorFor(url: URL, closing: AbortSignal): buildConnector.connector {
    const dialer = new Dialer(this.guard, this.resolver, closing);
    // Explicit, because an environment variable can change the defaults.
    const secure = buildConnector({
      allowH2: false,
      maxCachedSessions: 0,
      timeout: 0,
      rejectUnauthorized: true,
    });
    return (options, callback) => {
      dialer.dial(hostOf(url), portOf(url)).then(
        (socket) => {
          if (url.protocol !== 'https:') return void callback(null, socket);
          secure({ ...options, httpSocket: socket }, (error, secured) => {
            if (error) callback(new HandshakeError('TLS', { cause: error }), null);
            else callback(null, secured);
          });
        },
        (error: unknown) => {
          callback(EgressFailure.from(error), null);
        },
      );
    };
  }
}

class HandshakeError extends Error {
  override readonly name = 'HandshakeError';
}

async function exchange(
  client: Client,
  { method, url, headers, body }: GuardedRequest,
): Promise<FetchOutcome> {
  const response = await client.request({ method, path: url.pathname + url.search, headers, body });
  await drain(response.body);
  return { kind: 'answered', status: response.statusCode, headers: response.headers };
}

async function download(
  client: Client,
  { url, headers, maxBytes }: GuardedDownload,
): Promise<DownloadOutcome> {
  const response = await client.request({ method: 'GET', path: url.pathname + url.search, headers });
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of response.body as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > maxBytes) return { kind: 'too_large' };
    parts.push(part);
  }
  return {
    kind: 'answered',
    status: response.statusCode,
    headers: response.headers,
    body: Buffer.concat(parts),
  };
}

/** Reads a little of the body. The status is known, so failures are ignored. */
async function drain(body: Readable): Promise<void> {
  let remaining = MAX_BODY_BYTES;
  body.on('error', () => undefined);
  try {
    for await (const part of body as AsyncIterable<Buffer>) {
      remaining -= part.length;
      if (remaining <= 0) return;
    }
  } catch {
    // The connection was closed, or the time is over.
  }
}

const FAILURES = {
  forbidden: 'forbidden',
  screened: 'forbidden',
  dns: 'dns',
  timeout: 'timeout',
  invalid: 'invalid',
  refused: 'connection',
  unreachable: 'connection',
  reset: 'connection',
  empty: 'connection',
  limit: 'connection',
} as const satisfies Record<EgressFailureKind, FetchFailure>;

function failureOf(error: unknown): FetchFailure {
  if (error instanceof HandshakeError) return 'tls';
  const isInvalid = error instanceof errors.HeadersOverflowError || error instanceof errors.HTTPParserError;
  if (isInvalid) return 'invalid';
  return FAILURES[EgressFailure.from(error).kind];
}
