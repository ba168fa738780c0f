import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { buildConnector, Client, errors } from 'undici';
import { hostOf, portOf } from '@app/kernel';
import { EgressGuard } from './egress-guard.js';
import { Dialer } from './proxy/dialer.js';
import { Outage, type OutageKind } from './proxy/outage.js';
import { Resolver } from './resolver.js';

/** Who answers with more has something else in mind than an answer. */
const MAX_HEADER_BYTES = 16_384;
/** What is read of an answer's body, so that a server that writes a few words is not cut off; nobody sees them. */
const MAX_BODY_BYTES = 1_024;

export interface GuardedRequest {
  readonly method: 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** For all of it: resolving, connecting, sending, the answer. */
  readonly timeoutMs: number;
  /** Ends it early. */
  readonly signal: AbortSignal;
}

/** Why there was no answer; never which address it was about. */
export type FetchFailure = 'forbidden' | 'dns' | 'connection' | 'tls' | 'timeout' | 'invalid';

export type FetchOutcome =
  | { readonly kind: 'answered'; readonly status: number; readonly headers: IncomingHttpHeaders }
  | { readonly kind: FetchFailure };

/**
 * The one HTTP client for addresses that callers choose. Each request has a connection of its own to an address that
 * the guard has just let pass: a connection that is kept would outlive what its name resolves to. It follows no
 * redirect and uses no proxy.
 */
@Injectable()
export class GuardedFetchService {
  constructor(
    private readonly guard: EgressGuard,
    private readonly resolver: Resolver,
  ) {}

  /** Rejects only when `signal` aborts, with its reason. */
  async send(request: GuardedRequest): Promise<FetchOutcome> {
    const { url, timeoutMs, signal } = request;
    signal.throwIfAborted();
    if (!this.admits(url)) return { kind: 'forbidden' };
    const ending = new AbortController();
    const client = this.clientFor(url, ending.signal);
    const end = (): void => {
      ending.abort(signal.reason);
    };
    const timer = setTimeout(() => {
      ending.abort(new Outage('timeout'));
    }, timeoutMs);
    signal.addEventListener('abort', end);
    try {
      return await exchange(client, request);
    } catch (error) {
      signal.throwIfAborted();
      return { kind: failureOf(error) };
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      ending.abort();
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

  private clientFor(url: URL, ending: AbortSignal): Client {
    const client = new Client(url.origin, {
      connect: this.connectorFor(url, ending),
      maxHeaderSize: MAX_HEADER_BYTES,
      // No second request on a connection.
      pipelining: 0,
      // The one deadline is the caller's.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    // An aborted request of undici waits on until it is connected; one whose client is destroyed does not.
    ending.addEventListener('abort', () => void client.destroy(ending.reason as Error));
    return client;
  }

  private connectorFor(url: URL, ending: AbortSignal): buildConnector.connector {
    const dialer = new Dialer(this.guard, this.resolver, ending);
    // Said, not left to the default, which a variable of the environment can turn round.
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
            if (error) callback(new HandshakeFailure('TLS', { cause: error }), null);
            else callback(null, secured);
          });
        },
        (error: unknown) => {
          callback(Outage.from(error), null);
        },
      );
    };
  }
}

class HandshakeFailure extends Error {
  override readonly name = 'HandshakeFailure';
}

async function exchange(
  client: Client,
  { method, url, headers, body }: GuardedRequest,
): Promise<FetchOutcome> {
  const response = await client.request({ method, path: url.pathname + url.search, headers, body });
  await readLittle(response.body);
  return { kind: 'answered', status: response.statusCode, headers: response.headers };
}

/** The status has been said; whatever becomes of the rest does not change it. */
async function readLittle(body: Readable): Promise<void> {
  let left = MAX_BODY_BYTES;
  body.on('error', () => undefined);
  try {
    for await (const part of body as AsyncIterable<Buffer>) {
      left -= part.length;
      if (left <= 0) return;
    }
  } catch {
    // Cut off, or out of time.
  }
}

const FAILURES = {
  forbidden: 'forbidden',
  dns: 'dns',
  timeout: 'timeout',
  invalid: 'invalid',
  refused: 'connection',
  unreachable: 'connection',
  reset: 'connection',
  empty: 'connection',
  limit: 'connection',
} as const satisfies Record<OutageKind, FetchFailure>;

function failureOf(error: unknown): FetchFailure {
  if (error instanceof HandshakeFailure) return 'tls';
  const isNonsense = error instanceof errors.HeadersOverflowError || error instanceof errors.HTTPParserError;
  if (isNonsense) return 'invalid';
  return FAILURES[Outage.from(error).kind];
}
