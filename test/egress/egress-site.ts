import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A site on loopback that the guard lets captures reach; the tests set its pages. */
export class EgressSite {
  readonly pages = new Map<string, string>();
  private readonly server: Server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://site.test');
    if (url.pathname === '/redirect') {
      return void response.writeHead(302, { location: url.searchParams.get('to') ?? '/' }).end();
    }
    if (url.pathname === '/service-worker.js') {
      const place = decodeURIComponent(url.search.slice(1));
      const script = `fetch('http://${place}/service', { mode: 'no-cors' })`;
      return void response
        .writeHead(200, { 'content-type': 'text/javascript', 'service-worker-allowed': '/' })
        .end(script);
    }
    if (url.pathname === '/reset') return void request.socket.resetAndDestroy();
    if (url.pathname === '/empty') return void request.socket.end();
    if (url.pathname === '/big') return void response.end(Buffer.alloc(1_000_000));
    const page = this.pages.get(url.pathname);
    response
      .writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html' })
      .end(page ?? 'nothing');
  });

  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  url(path: string, host = '127.0.0.1'): string {
    return `http://${host}:${this.port}${path}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
