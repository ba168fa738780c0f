import http from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { hostOf, portOf } from '@app/kernel';
import type { EgressGuard } from '../egress-guard.js';
import type { Resolver } from '../resolver.js';
import { acknowledge, challenge, passOn, refuse, SCHEME } from './answers.js';
import { Descriptors } from './descriptors.js';
import { Dialer } from './dialer.js';
import { Forwarder, MAX_HEADER_BYTES } from './forwarder.js';
import { Meter, type EgressLimits, type MeteredUsage } from './meter.js';
import { isRefusal, Outage, OutageLog, OUTAGES } from './outage.js';
import { ProxyClients, type ProxyCredential } from './proxy-clients.js';

export interface EgressProxyParts {
  readonly guard: EgressGuard;
  readonly resolver: Resolver;
  readonly limits: EgressLimits;
  /** Shared by the proxies of a process. */
  readonly descriptors?: Descriptors;
}

export interface ProxyUsage extends Omit<MeteredUsage, 'firstRequestAt'> {
  /** The process ran out of file descriptors meanwhile: the page may lack anything. */
  readonly starved: boolean;
}

/**
 * The one way from a page to the outside: an HTTP proxy (CONNECT and absolute-form, RFC 9112 3.2) on a loopback port
 * of its own for one capture. It resolves, checks and dials, so that redirects, frames, WebSockets, workers, prefetch
 * and rebinding all meet the same wall; and it counts. It dies with its capture. What other processes of the machine ask
 * it for, without the credential of its context, is refused and counts for nothing.
 */
export class EgressProxy {
  /** As Chromium takes it: `http://127.0.0.1:<port>`. */
  proxyUrl = '';
  private readonly closing = new AbortController();
  private readonly dialer: Dialer;
  private readonly meter: Meter;
  private readonly descriptors: Descriptors;
  private readonly forwarder: Forwarder;
  private readonly outages = new OutageLog();
  private readonly clients = new ProxyClients();
  private readonly server: http.Server;

  private readonly countBytes = (): void => {
    this.meter.count();
  };

  private constructor({ guard, resolver, limits, descriptors = new Descriptors() }: EgressProxyParts) {
    this.descriptors = descriptors;
    this.dialer = new Dialer(guard, resolver, this.closing.signal);
    this.meter = new Meter(limits);
    const open = (host: string, port: number): Promise<Socket> => this.open(host, port);
    this.forwarder = new Forwarder(open, this.countBytes);
    // Chromium keeps a connection for as long as it may need it, and the capture has its own deadline.
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
      this.descriptors.look();
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

  /** Without it the proxy refuses every request. */
  get credential(): ProxyCredential {
    return this.clients.credential;
  }

  usage(): ProxyUsage {
    const { firstRequestAt, ...usage } = this.meter.usage();
    const starved = firstRequestAt !== undefined && this.descriptors.wereShortSince(firstRequestAt);
    return { ...usage, starved };
  }

  /**
   * What went wrong last with the origin of this address, in Chromium's words, such as `ERR_NAME_NOT_RESOLVED`. By
   * itself Chromium would only know that its proxy refused.
   */
  netErrorOf(url: URL): string | undefined {
    const kind = this.outages.last(authority(url));
    return kind && OUTAGES[kind].netError;
  }

  /** Ends the listener and every connection. Never rejects; may be called again. */
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
      const outside = await this.noting(target, () => this.open(hostOf(target), portOf(target)));
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      outside.write(head);
      join(client.on('data', this.countBytes), outside);
    } catch (error) {
      client.end(`HTTP/1.1 ${OUTAGES[Outage.from(error).kind].status} Refused\r\n\r\n`);
    }
  }

  private async forward(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    if (!this.clients.authenticate(request)) return challenge(response);
    const target = URL.parse(request.url ?? '');
    if (target?.href === this.credential.url) return acknowledge(response);
    // Origin-form is what a program that takes the port for a web server would send.
    if (target?.protocol !== 'http:') return void response.writeHead(400).end();
    const gone = new AbortController();
    response.once('close', () => {
      gone.abort();
    });
    try {
      passOn(await this.noting(target, () => this.forwarder.ask(target, request, gone.signal)), response);
    } catch (error) {
      refuse(response, Outage.from(error));
    }
  }

  /** Counts a request, and remembers what went wrong with it. */
  private async noting<T>(url: URL, work: () => Promise<T>): Promise<T> {
    try {
      this.meter.admitRequest();
      return await work();
    } catch (error) {
      const outage = Outage.from(error);
      if (outage.isOurs) this.descriptors.noteShortage();
      this.outages.add(authority(url), outage.kind);
      if (isRefusal(OUTAGES[outage.kind].netError)) this.meter.block();
      throw outage;
    }
  }

  /** @throws Outage */
  private async open(host: string, port: number): Promise<Socket> {
    if (this.meter.isFull) this.forwarder.closeIdle();
    this.descriptors.look();
    const socket = await this.meter.connect(() => this.dialer.dial(host, port));
    return socket.on('error', () => socket.destroy());
  }
}

/** A tunnel ends at both ends as it ended at one, a reset by a reset: Chromium tells the two apart. */
function join(client: Socket, outside: Socket): void {
  pipeline(client, outside, () => outside.destroy());
  pipeline(outside, client, (error) => {
    if ((error as NodeJS.ErrnoException | undefined)?.code === 'ECONNRESET') client.resetAndDestroy();
    else client.destroy();
  });
}

function authority(url: URL): string {
  return `${url.hostname}:${portOf(url)}`;
}
