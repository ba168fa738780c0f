import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

const FOLDER = new URL('../../bench/pages/', import.meta.url);
const NAMES = ['article.html', 'shop.html', 'chart.html'];
const FILES = [...NAMES, 'shop.js'];

interface Pages extends AsyncDisposable {
  readonly port: number;
  readonly urls: readonly string[];
}

/** Serves the pages of the bench from memory, on each of these loopback addresses, each of which is a site. */
export async function servePages(addresses: readonly string[] = ['127.0.0.1']): Promise<Pages> {
  const files = new Map<string, Buffer>();
  for (const name of FILES) files.set(`/${name}`, await readFile(new URL(name, FOLDER)));
  const answer: RequestListener = ({ url = '' }, response) => {
    const body = files.get(url);
    response.writeHead(body ? 200 : 404, {
      'content-type': url.endsWith('.js') ? 'text/javascript' : 'text/html',
    });
    response.end(body);
  };
  const servers: Server[] = [];
  let port = 0;
  for (const address of addresses) {
    const server = createServer(answer).listen(port, address);
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
    servers.push(server);
  }
  return {
    port,
    urls: NAMES.flatMap((name) => addresses.map((address) => `http://${address}:${port}/${name}`)),
    [Symbol.asyncDispose]: async () => {
      for (const server of servers) server.closeAllConnections();
      await Promise.all(servers.map((server) => once(server.close(), 'close')));
    },
  };
}
