import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { acceptWebSocket, textFrame } from '../web-socket.js';
import { drawPage } from './kinds.js';

/** A font whose X is a solid box. */
const FONT = 'test/site/ready/box.ttf';

/**
 * Serves the pages of each kind and seed on loopback, and what they ask for. Its addresses say what they answer and when, in ms, so
 * that it keeps no state: `/after?ms=&type=&body=`, `/events?plan=` and the WebSocket `/socket?plan=`.
 */
export class LoadingSite {
  private constructor(
    private readonly server: Server,
    private readonly sockets: ReadonlySet<Duplex>,
  ) {}

  static async open(): Promise<LoadingSite> {
    const server = createServer((request, response) => void answer(request, response));
    const sockets = new Set<Duplex>();
    server.on('upgrade', (request: IncomingMessage, socket: Duplex) => {
      sockets.add(socket);
      acceptWebSocket(request, socket);
      void follow(request, socket, (data) => socket.write(textFrame(data)));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new LoadingSite(server, sockets);
  }

  url(kind: string, seed: number): string {
    const { port } = this.server.address() as AddressInfo;
    return `http://127.0.0.1:${port}/page?kind=${encodeURIComponent(kind)}&seed=${seed}`;
  }

  async close(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    // The server no longer counts them as its connections.
    for (const socket of this.sockets) socket.destroy();
    await once(this.server, 'close');
  }
}

const queryOf = ({ url = '' }: IncomingMessage): URLSearchParams =>
  new URL(url, 'http://site.test').searchParams;

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const query = queryOf(request);
  const send = (type: string, body: string | Buffer): void => {
    response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
  };
  const [path] = (request.url ?? '').split('?', 1);
  // A capture that ends sooner need not wait for it.
  await wait(Number(query.get('ms') ?? 0), undefined, { ref: false });
  if (path === '/page')
    return send(
      'text/html; charset=utf-8',
      drawPage(query.get('kind') ?? '', Number(query.get('seed'))).html,
    );
  if (path === '/after') return send(query.get('type') ?? 'text/plain', query.get('body') ?? 'done');
  if (path === '/box.ttf') return send('font/ttf', await readFile(FONT));
  if (path !== '/events') return void response.writeHead(404).end();
  response
    .writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
    .flushHeaders();
  await follow(request, response, (data) => response.write(`data: ${data}\n\n`));
}

/** Sends the messages of the plan in the address at their times, as long as the stream is open. */
async function follow(
  request: IncomingMessage,
  stream: Duplex | ServerResponse,
  send: (data: string) => void,
): Promise<void> {
  const plan = JSON.parse(queryOf(request).get('plan') ?? '[]') as [number, string][];
  const began = performance.now();
  for (const [ms, data] of plan) {
    await wait(Math.max(0, began + ms - performance.now()), undefined, { ref: false });
    if (stream.destroyed) return;
    send(data);
  }
}
