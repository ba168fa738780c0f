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
import { acceptWebSocket, textFrame } from './web-socket.js';

const PAGES = 'test/site/hostile';

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
  acceptWebSocket(request, socket);
  const timer = setInterval(() => socket.write(textFrame('hi')), 50);
  socket.on('close', () => clearInterval(timer));
}
