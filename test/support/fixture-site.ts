import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { routeOf } from './fixture-routes.js';

/** A request as the site received it. */
export interface SiteRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

/** A web site on loopback: the pages of test/site, the routes of fixture-routes.ts, and `/held`. */
export interface FixtureSite {
  readonly url: string;
  readonly port: number;
  /** The requests so far, all or those to one path. */
  requests(path?: string): readonly SiteRequest[];
  /** Answers the requests to `/held`, which wait for it. */
  release(): void;
  /** Closes also the connections whose answers hang. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function startFixtureSite(): Promise<FixtureSite> {
  const seen: SiteRequest[] = [];
  const held: ServerResponse[] = [];
  const server = createServer((request, response) => {
    seen.push({ method: request.method ?? 'GET', path: request.url ?? '/', headers: request.headers });
    if (request.url === '/held') held.push(response);
    else void answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    if (!server.listening) return;
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests: (path) => seen.filter((request) => path === undefined || request.path.split('?')[0] === path),
    release: () => {
      for (const response of held.splice(0)) {
        response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Held</title>');
      }
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://site.test');
  try {
    await routeOf(url.pathname)({ request, response, url });
  } catch (error) {
    response.writeHead(500, { 'content-type': 'text/plain' }).end(String(error));
  }
}
