import http from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { hostOf, portOf } from '@app/kernel';
import type { EgressGuard } from '../egress-guard.js';
import type { Resolver } from '../resolver.js';
import { acknowledge, challenge, forwardResponse, refuse, SCHEME } from './responses.js';
import { Descriptors } from './descriptors.js';
import { Dialer } from './dialer.js';
import { Forwarder, MAX_HEADER_BYTES } from './forwarder.js';
import { Meter, type EgressLimits, type MeteredUsage } from './meter.js';
import { EgressFailure, FailureLog, EGRESS_FAILURES } from './egress-failure.js';
import { ProxyClients, type ProxyCredential } from './proxy-clients.js';

export interface EgressProxyParts {
  readonly guard: EgressGuard;
  readonly resolver: Resolver;
  readonly limits: EgressLimits;
  /** Shared by all proxies of a process. */
  readonly descriptors?: Descriptors;
}

export interface ProxyUsage extends Omit<MeteredUsage, 'firstRequestAt'> {
  /** The process ran out of file descriptors during the capture: the page may be incomplete. */
  readonly starved: boolean;
  /** No name server answered during the capture: the page may be incomplete. */
  readonly unresolved: boolean;
}

/**
 * The only way from a page to the network: an HTTP proxy (CONNECT and absolute-form, RFC 9112 3.2) on a loopback port of its
 * own for one capture at a time. It resolves, checks, connects and counts, so that the guard applies to redirects, frames, WebSockets,
 * workers, prefetch and rebinding alike. It is closed with its browser context. Requests of other processes of the machine, which
 * lack the credential of its context, are refused and not counted.
 */
export class EgressProxy {
  /** The option of Chromium: `http://127.0.0.1:<port>`. */
  proxyUrl = '';
  private readonly closing = new AbortController();
  private readonly dialer: Dialer;
  private readonly meter: Meter;
  private readonly descriptors: Descriptors;
  private readonly forwarder: Forwarder;
  private readonly failures = new FailureLog();
  private readonly clients = new ProxyClients();
  private readonly server: http.Server;
  private unresolved = false;
  private isScreened: (host: string) => boolean = () => false;

  private readonly countBytes = (): void => {
    this.meter.count();
  };

  private constructor({ guard, resolver, limits, descriptors = new Descriptors() }: EgressProxyParts) {
    this.descriptors = descriptors;
    this.dialer = new Dialer(guard, resolver, this.closing.signal);
    this.meter = new Meter(limits);
    const open = (host: string, port: number): Promise<Socket> => this.open(host, port);
    this.forwarder = new Forwarder(open, this.countBytes);
    // Chromium keeps its connections for as long as it needs them, and the capture has its own timeout.
    const options = {
      keepAliveTimeout: 0,
      requestTimeout: 0,
      maxHeaderSize: MAX_HEADER_BYTES,
      noDelay: true,
    };
    this.server = http.createServer(options, (request, response) => {
      void this.forward(request, response);
    });
    this.server.on('connect', (request: http.IncomingMessage, client: Socket, head: Buffer) => {
      void this.tunnel(request, client, head);
    });
    this.server.on('connection', (client: Socket) => {
      this.descriptors.check();
      this.clients.add(client);
    });
    this.server.on('clientError', (_, client) => client.destroy());
  }

  static async listen(parts: EgressProxyParts): Promise<EgressProxy> {
    const proxy = new EgressProxy(parts);
    const { server } = proxy;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen({ host: '127.0.0.1', port: 0 }, resolve);
    });
    proxy.proxyUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return proxy;
  }

  /** The proxy refuses every request without it. */
  get credential(): ProxyCredential {
    return this.clients.credential;
  }

  usage(): ProxyUsage {
    const { firstRequestAt, ...usage } = this.meter.usage();
    const starved = firstRequestAt !== undefined && this.descriptors.ranOutSince(firstRequestAt);
    return { ...usage, starved, unresolved: this.unresolved };
  }

  /**
   * Refuses the hosts for which `isScreened` returns true. It is called once for each tunnel and plain request, none of which
   * counts as a request of the page or as refused by the guard.
   */
  screen(isScreened: (host: string) => boolean): void {
    this.isScreened = isScreened;
  }

  /**
   * The last failure of the origin of this address, by Chromium's name, such as `ERR_NAME_NOT_RESOLVED`. Chromium itself only
   * knows that its proxy refused the request.
   */
  netErrorOf(url: URL): string | undefined {
    const kind = this.failures.last(authority(url));
    return kind && EGRESS_FAILURES[kind].netError;
  }

  /** Begins another capture of the same context: its counts, limits, names and failures. Connections that are open stay open. */
  restart(): void {
    this.meter.restart();
    this.dialer.forget();
    this.failures.clear();
    this.unresolved = false;
    this.isScreened = () => false;
  }

  /** Closes the listener and every connection. Never rejects; may be called again. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.closing.abort();
    this.forwarder.close();
    this.clients.destroyAll();
    await closed;
  }

  private async tunnel(request: http.IncomingMessage, client: Socket, head: Buffer): Promise<void> {
    client.on('error', () => client.destroy());
    if (!this.clients.authenticate(request)) {
      client.write(`HTTP/1.1 407 Proxy Authentication Required\r\nproxy-authenticate: ${SCHEME}\r\n\r\n`);
      return void client.destroySoon();
    }
    const target = URL.parse(`http://${request.url ?? ''}`);
    if (!target) return void client.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    try {
      const upstream = await this.metered(target, () => this.open(hostOf(target), portOf(target)));
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.write(head);
      pipeBoth(client.on('data', this.countBytes), upstream);
    } catch (error) {
      client.end(`HTTP/1.1 ${EGRESS_FAILURES[EgressFailure.from(error).kind].status} Refused\r\n\r\n`);
    }
  }

  private async forward(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    if (!this.clients.authenticate(request)) return challenge(response);
    const target = URL.parse(request.url ?? '');
    if (target?.href === this.credential.url) return acknowledge(response);
    // A client that mistakes the port for a web server would send the origin-form.
    if (target?.protocol !== 'http:') return void response.writeHead(400).end();
    const closed = new AbortController();
    response.once('close', () => {
      closed.abort();
    });
    try {
      const send = () => this.forwarder.send(target, request, closed.signal);
      forwardResponse(await this.metered(target, send), response);
    } catch (error) {
      refuse(response, EgressFailure.from(error));
    }
  }

  /** Counts a request, and remembers its failure. */
  private async metered<T>(url: URL, work: () => Promise<T>): Promise<T> {
    try {
      if (this.isScreened(hostOf(url))) throw new EgressFailure('screened');
      this.meter.admitRequest();
      return await work();
    } catch (error) {
      const failure = EgressFailure.from(error);
      if (failure.isOurs) this.descriptors.noteShortage();
      if (failure.isOutage) this.unresolved = true;
      this.failures.add(authority(url), failure.kind);
      if (failure.kind === 'forbidden' || failure.kind === 'limit') this.meter.block();
      throw failure;
    }
  }

  /** @throws EgressFailure */
  private async open(host: string, port: number): Promise<Socket> {
    if (this.meter.isFull) this.forwarder.closeIdle();
    this.descriptors.check();
    const socket = await this.meter.connect(() => this.dialer.dial(host, port));
    return socket.on('error', () => socket.destroy());
  }
}

/** Connects the two ends of a tunnel. A reset of one end resets the other, because Chromium distinguishes it from an end. */
function pipeBoth(client: Socket, upstream: Socket): void {
  pipeline(client, upstream, () => upstream.destroy());
  pipeline(upstream, client, (error) => {
    if ((error as NodeJS.ErrnoException | undefined)?.code === 'ECONNRESET') client.resetAndDestroy();
    else client.destroy();
  });
}

function authority(url: URL): string {
  return `${url.hostname}:${portOf(url)}`;
}
