import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import type { Duplex } from 'node:stream';
import { hostileRoutes } from './hostile-routes.js';

const PAGES = 'test/site/hostile';
/** RFC 6455: the value with which a server proves that it speaks WebSocket. */
const WEBSOCKET_GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/** A hostile web site on loopback: the pages of test/site/hostile and the answers of hostile-routes.ts. */
export class HostileSite {
  private constructor(
    private readonly server: Server,
    private readonly neighbours: readonly { close(): unknown }[],
    readonly requests: readonly IncomingMessage[],
  ) {}

  /** Listens on 127.0.0.1 and, at the same port, on `hosts` addresses from 127.0.1.1 on, each of which is another site. */
  static async open(hosts = 0): Promise<HostileSite> {
    const requests: IncomingMessage[] = [];
    const server = createHttpServer((request, response) => {
      requests.push(request);
      void answer(request, response);
    });
    server.on('upgrade', chat);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const neighbours = Array.from({ length: hosts }, (_, index) =>
      createServer((socket) => server.emit('connection', socket)).listen(port, `127.0.1.${index + 1}`),
    );
    await Promise.all(neighbours.map((neighbour) => once(neighbour, 'listening')));
    return new HostileSite(server, neighbours, requests);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** `bounce.html` names a page, `/drip` a route. */
  url(name: string): string {
    return new URL(name, `http://127.0.0.1:${this.port}/`).href;
  }

  async close(): Promise<void> {
    for (const neighbour of this.neighbours) neighbour.close();
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://site.test');
  const route = hostileRoutes[pathname];
  if (route) return route(request, response);
  const name = path.basename(pathname);
  // Some pages of other tests are hostile enough.
  const page = await readFile(path.join(PAGES, name)).catch(() =>
    readFile(path.join(PAGES, '..', name)).catch(() => undefined),
  );
  response.writeHead(page ? 200 : 404, { 'content-type': 'text/html; charset=utf-8' }).end(page);
}

/** A WebSocket that sends a word every 50 ms and ignores what it receives. */
function chat(request: IncomingMessage, socket: Duplex): void {
  const accept = createHash('sha1').update(`${request.headers['sec-websocket-key']}${WEBSOCKET_GUID}`);
  socket.write(
    ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade'].join('\r\n') +
      `\r\nSec-WebSocket-Accept: ${accept.digest('base64')}\r\n\r\n`,
  );
  const timer = setInterval(() => socket.write(Buffer.from([0x81, 2, 0x68, 0x69])), 50);
  socket
    .on('error', () => undefined)
    .on('close', () => clearInterval(timer))
    .resume();
}
