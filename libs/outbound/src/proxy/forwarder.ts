import http from 'node:http';
import type { Socket } from 'node:net';
import { pipeline, type Duplex } from 'node:stream';
import { forwarded } from './headers.js';
import { Outage } from './outage.js';

/** As many as a browser opens to one host. */
const MAX_PER_HOST = 6;
/** As much as Chromium takes. Node's own limit, 16 kB, is less than some sites set in cookies alone. */
export const MAX_HEADER_BYTES = 262_144;

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
        host: target.hostname.replace(/^\[(.*)\]$/, '$1'),
        port: target.port === '' ? 80 : target.port,
        method: request.method,
        path: target.pathname + target.search,
        headers: forwarded(request.rawHeaders),
        setDefaultHeaders: false,
        maxHeaderSize: MAX_HEADER_BYTES,
        signal: gone,
      });
      outgoing.once('response', resolve).once('error', (error: NodeJS.ErrnoException) => {
        const isStale = outgoing.reusedSocket && error.code === 'ECONNRESET';
        reject(isStale ? new StaleConnection('empty', error) : outageOf(error));
      });
      if (hasBody(request)) pipeline(request.on('data', this.sent), outgoing, () => undefined);
      else outgoing.end();
    });
  }
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
