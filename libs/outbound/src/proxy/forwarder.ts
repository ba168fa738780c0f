import http from 'node:http';
import type { Socket } from 'node:net';
import { pipeline, type Duplex } from 'node:stream';
import { hostOf, portOf } from '@app/kernel';
import { forwardedHeaders } from './headers.js';
import { EgressFailure } from './egress-failure.js';

/** The number of connections that a browser opens to one host. */
const MAX_PER_HOST = 6;
/** The limit of Chromium. Node's default of 16 kB is less than the cookies of some sites. */
export const MAX_HEADER_BYTES = 262_144;

/** The limit of interim responses (1xx) to one request. Real servers send two or three, and each restarts the timeout. */
const MAX_INTERIM = 20;

type Opener = (host: string, port: number) => Promise<Socket>;

/** Keeps connections, which were opened through the guard, alive between requests. */
class GuardedAgent extends http.Agent {
  constructor(private readonly open: Opener) {
    super({ keepAlive: true, maxSockets: MAX_PER_HOST });
  }

  override createConnection(
    { host, port }: http.ClientRequestArgs,
    done?: (error: Error | null, stream: Duplex) => void,
  ): null {
    // Node's types omit the case of an error without a stream.
    const fail = done as ((error: Error) => void) | undefined;
    this.open(host ?? '', Number(port)).then(
      (socket) => done?.(null, socket),
      (error: Error) => fail?.(error),
    );
    return null;
  }
}

/** Forwards plain requests to their hosts. */
export class Forwarder {
  private readonly agent: GuardedAgent;

  constructor(
    open: Opener,
    /** Called while the body of a request is sent. */
    private readonly onSent: () => void,
  ) {
    this.agent = new GuardedAgent(open);
  }

  /**
   * Sends a request to its host and returns the response. `signal` aborts when the client has disconnected.
   *
   * @throws EgressFailure, or the error of the connection
   */
  async send(target: URL, request: http.IncomingMessage, signal: AbortSignal): Promise<http.IncomingMessage> {
    try {
      return await this.sendOnce(target, request, signal);
    } catch (error) {
      // The host closed an idle connection at the moment of the request. A browser would retry, too.
      if (error instanceof StaleConnection && !hasBody(request))
        return this.sendOnce(target, request, signal);
      throw error;
    }
  }

  /** Closes idle connections, to make room for another host. */
  closeIdle(): void {
    for (const sockets of Object.values(this.agent.freeSockets)) {
      for (const socket of sockets ?? []) socket.destroy();
    }
  }

  close(): void {
    this.agent.destroy();
  }

  private sendOnce(
    target: URL,
    request: http.IncomingMessage,
    signal: AbortSignal,
  ): Promise<http.IncomingMessage> {
    return new Promise((resolve, reject) => {
      const outgoing = http.request({
        agent: this.agent,
        host: hostOf(target),
        port: portOf(target),
        method: request.method,
        path: target.pathname + target.search,
        headers: [...forwardedHeaders(request.rawHeaders), ...framing(request)],
        setDefaultHeaders: false,
        maxHeaderSize: MAX_HEADER_BYTES,
        signal,
      });
      outgoing.once('response', (response) => {
        if (isValid(response)) return resolve(response);
        outgoing.destroy();
        reject(new EgressFailure('invalid'));
      });
      // The listener stays, because an unhandled error event would end the worker.
      outgoing.on('error', (error: NodeJS.ErrnoException) => {
        const isStale = outgoing.reusedSocket && error.code === 'ECONNRESET';
        reject(isStale ? new StaleConnection('empty', error) : failureOf(error));
      });
      refuseInterim(outgoing, () => {
        outgoing.destroy();
        reject(new EgressFailure('invalid'));
      });
      if (hasBody(request)) pipeline(request.on('data', this.onSent), outgoing, () => undefined);
      else outgoing.end();
    });
  }
}

/** Ends a request whose host sends endless interim responses, or switches protocols without being asked. */
function refuseInterim(outgoing: http.ClientRequest, refuse: () => void): void {
  let count = 0;
  outgoing.on('information', () => {
    count += 1;
    if (count > MAX_INTERIM) refuse();
  });
  // Without a listener Node closes the connection and the request never settles.
  outgoing.once('upgrade', (_, socket) => {
    socket.destroy();
    refuse();
  });
}

/**
 * Whether a host may send this status. 407 belongs to proxies: Chromium would attribute it to this one and drop the
 * credential.
 */
function isValid({ statusCode = 0 }: http.IncomingMessage): boolean {
  return statusCode >= 200 && statusCode <= 999 && statusCode !== 407;
}

/** A body in chunks must be forwarded in chunks: without a length its end would be undefined. */
function framing({ headers }: http.IncomingMessage): string[] {
  return headers['transfer-encoding'] === undefined ? [] : ['transfer-encoding', 'chunked'];
}

/** The host had closed an idle connection. */
class StaleConnection extends EgressFailure {}

/** Node reports a connection that ended without a response as reset, as it does one that was reset. */
function failureOf(error: NodeJS.ErrnoException): EgressFailure {
  const hasEnded = error.code === 'ECONNRESET' && error.syscall === undefined;
  return hasEnded ? new EgressFailure('empty', error) : EgressFailure.from(error);
}

function hasBody({ headers }: http.IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
