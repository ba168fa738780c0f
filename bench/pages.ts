import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const FOLDER = new URL('../../bench/pages/', import.meta.url);
const NAMES = ['article.html', 'shop.html', 'chart.html'];
const FILES = [...NAMES, 'shop.js'];

interface Pages extends AsyncDisposable {
  readonly port: number;
  readonly urls: readonly string[];
}

/** Serves the bench's pages on loopback, from memory. */
export async function servePages(): Promise<Pages> {
  const files = new Map<string, Buffer>();
  for (const name of FILES) files.set(`/${name}`, await readFile(new URL(name, FOLDER)));
  const server = createServer(({ url = '' }, response) => {
    const body = files.get(url);
    response.writeHead(body ? 200 : 404, {
      'content-type': url.endsWith('.js') ? 'text/javascript' : 'text/html',
    });
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    urls: NAMES.map((name) => `http://127.0.0.1:${port}/${name}`),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
