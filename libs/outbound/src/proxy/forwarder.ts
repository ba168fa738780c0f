import http from 'node:http';
import type { Socket } from 'node:net';
import { pipeline, type Duplex } from 'node:stream';
import { hostOf, portOf } from '@app/kernel';
import { forwarded } from './headers.js';
import { Outage } from './outage.js';

/** As many as a browser opens to one host. */
const MAX_PER_HOST = 6;
/** As much as Chromium takes. Node's own limit, 16 kB, is less than some sites set in cookies alone. */
export const MAX_HEADER_BYTES = 262_144;

/** Interim answers (1xx) to one request; real ones are two or three, and each restarts the wait for the answer. */
const MAX_INTERIM = 20;

export type Opener = (host: string, port: number) => Promise<Socket>;

/** Keeps connections to hosts open between requests; each was opened through the guard. */
class GuardedAgent extends http.Agent {
  constructor(private readonly open: Opener) {
    super({ keepAlive: true, maxSockets: MAX_PER_HOST });
  }

  override createConnection(
    { host, port }: http.ClientRequestArgs,
    done?: (error: Error | null, stream: Duplex) => void,
  ): null {
    // Without a stream there is an error; Node's types know only the case with one.
    const fail = done as ((error: Error) => void) | undefined;
    this.open(host ?? '', Number(port)).then(
      (socket) => done?.(null, socket),
      (error: Error) => fail?.(error),
    );
    return null;
  }
}

/** Carries plain requests to their hosts. */
export class Forwarder {
  private readonly agent: GuardedAgent;

  constructor(
    open: Opener,
    /** Called as a request's body is sent. */
    private readonly sent: () => void,
  ) {
    this.agent = new GuardedAgent(open);
  }

  /**
   * The host's answer. `gone` says that nobody waits for it any more.
   *
   * @throws Outage, or the error of the connection
   */
  async ask(target: URL, request: http.IncomingMessage, gone: AbortSignal): Promise<http.IncomingMessage> {
    try {
      return await this.askOnce(target, request, gone);
    } catch (error) {
      // The host closed an idle connection while we sent over it. A browser asks again, so we do.
      if (error instanceof StaleConnection && !hasBody(request)) return this.askOnce(target, request, gone);
      throw error;
    }
  }

  /** Makes room for a connection to another host. */
  closeIdle(): void {
    for (const sockets of Object.values(this.agent.freeSockets)) {
      for (const socket of sockets ?? []) socket.destroy();
    }
  }

  close(): void {
    this.agent.destroy();
  }

  private askOnce(
    target: URL,
    request: http.IncomingMessage,
    gone: AbortSignal,
  ): Promise<http.IncomingMessage> {
    return new Promise((resolve, reject) => {
      const outgoing = http.request({
        agent: this.agent,
        host: hostOf(target),
        port: portOf(target),
        method: request.method,
        path: target.pathname + target.search,
        headers: [...forwarded(request.rawHeaders), ...framing(request)],
        setDefaultHeaders: false,
        maxHeaderSize: MAX_HEADER_BYTES,
        signal: gone,
      });
      outgoing.once('response', (answer) => {
        if (isProper(answer)) return resolve(answer);
        outgoing.destroy();
        reject(new Outage('invalid'));
      });
      // A listener stays for as long as errors may come: one that nobody hears ends the worker.
      outgoing.on('error', (error: NodeJS.ErrnoException) => {
        const isStale = outgoing.reusedSocket && error.code === 'ECONNRESET';
        reject(isStale ? new StaleConnection('empty', error) : outageOf(error));
      });
      refuseInterim(outgoing, () => {
        outgoing.destroy();
        reject(new Outage('invalid'));
      });
      if (hasBody(request)) pipeline(request.on('data', this.sent), outgoing, () => undefined);
      else outgoing.end();
    });
  }
}

/** Ends a request whose host goes on with interim answers, or switches to a protocol that nobody asked for. */
function refuseInterim(outgoing: http.ClientRequest, refuse: () => void): void {
  let count = 0;
  outgoing.on('information', () => {
    count += 1;
    if (count > MAX_INTERIM) refuse();
  });
  // Without a listener Node closes the connection, and the request never settles.
  outgoing.once('upgrade', (_, socket) => {
    socket.destroy();
    refuse();
  });
}

/**
 * Whether an answer is one that a host may give. 407 is a proxy's: Chromium would take it for ours, and forget the
 * credential that it shows to us.
 */
function isProper({ statusCode = 0 }: http.IncomingMessage): boolean {
  return statusCode >= 200 && statusCode <= 999 && statusCode !== 407;
}

/** The length of a body that came in chunks is known by chunks only; without either its end would be anywhere. */
function framing({ headers }: http.IncomingMessage): string[] {
  return headers['transfer-encoding'] === undefined ? [] : ['transfer-encoding', 'chunked'];
}

/** A kept connection turned out to be closed. */
class StaleConnection extends Outage {}

/** Node says of a connection that ended before an answer that it was reset, as of one that was. */
function outageOf(error: NodeJS.ErrnoException): Outage {
  const hasEnded = error.code === 'ECONNRESET' && error.syscall === undefined;
  return hasEnded ? new Outage('empty', error) : Outage.from(error);
}

function hasBody({ headers }: http.IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
