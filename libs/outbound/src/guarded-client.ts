import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { buildConnector, Client, errors } from 'undici';
import { hostOf, portOf } from '@app/kernel';
import type { Dialer } from './proxy/dialer.js';
import { EgressFailure, type EgressFailureKind } from './proxy/egress-failure.js';

/** Larger headers are refused. */
const MAX_HEADER_BYTES = 16_384;
/** The part of a response body that is read and dropped, so that a server can send a short one without an error. */
const MAX_BODY_BYTES = 1_024;

export interface GuardedCall {
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

/** A response whose body is still arriving. */
export interface StreamedResponse extends Omit<Answer, 'kind'> {
  readonly body: AsyncIterable<Buffer>;
}

export type StreamOutcome<T> =
  | { readonly kind: 'answered'; readonly value: T }
  | { readonly kind: FetchFailure };

export type FetchOutcome = Answer | { readonly kind: FetchFailure };

export type DownloadOutcome =
  | (Answer & { readonly body: Buffer })
  | { readonly kind: FetchFailure | 'too_large' };

/** Sends one request through the guard. `closing` ends its connection. */
export class GuardedClient {
  private readonly client: Client;

  constructor(url: URL, dialer: Dialer, closing: AbortSignal) {
    this.client = new Client(url.origin, {
      connect: connectorFor(url, dialer),
      maxHeaderSize: MAX_HEADER_BYTES,
      // At most one request on a connection.
      pipelining: 0,
      // The caller's timeout covers everything.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    // In undici an aborted request still waits until it is connected; destroying its client ends it at once.
    closing.addEventListener('abort', () => void this.client.destroy(closing.reason as Error));
  }

  async send({ method, url, headers, body }: GuardedRequest): Promise<FetchOutcome> {
    const response = await this.client.request({ method, path: url.pathname + url.search, headers, body });
    await drain(response.body);
    return { kind: 'answered', status: response.statusCode, headers: response.headers };
  }

  /** Passes the response on while its body arrives. What `use` leaves unread is not waited for. */
  async stream<T>(
    { url, headers }: GuardedCall,
    use: (response: StreamedResponse) => Promise<T>,
  ): Promise<T> {
    const response = await this.client.request({ method: 'GET', path: url.pathname + url.search, headers });
    const { statusCode: status, headers: received, body } = response;
    // Closing the connection under an unread body is an error of the stream that nobody else waits for.
    body.on('error', () => undefined);
    return use({ status, headers: received, body: body as AsyncIterable<Buffer> });
  }

  async get({ url, headers, maxBytes }: GuardedDownload): Promise<DownloadOutcome> {
    const response = await this.client.request({ method: 'GET', path: url.pathname + url.search, headers });
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
}

function connectorFor(url: URL, dialer: Dialer): buildConnector.connector {
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

class HandshakeError extends Error {
  override readonly name = 'HandshakeError';
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
  resolver: 'dns',
  timeout: 'timeout',
  invalid: 'invalid',
  refused: 'connection',
  unreachable: 'connection',
  reset: 'connection',
  empty: 'connection',
  limit: 'connection',
} as const satisfies Record<EgressFailureKind, FetchFailure>;

/** Names why a request failed. */
export function failureOf(error: unknown): FetchFailure {
  if (error instanceof HandshakeError) return 'tls';
  const isInvalid = error instanceof errors.HeadersOverflowError || error instanceof errors.HTTPParserError;
  if (isInvalid) return 'invalid';
  return FAILURES[EgressFailure.from(error).kind];
}
