import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A web site on loopback that serves pages by path and records the requests for each. */
export class Site {
  readonly requests: IncomingMessage[] = [];
  private server?: Server;

  constructor(private readonly pages: Readonly<Record<string, string | RequestListener>>) {}

  async open(): Promise<void> {
    this.server = createServer((request, response) => {
      this.requests.push(request);
      const page = this.pages[request.url ?? ''];
      if (typeof page === 'function') page(request, response);
      else response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html' }).end(page);
    });
    await new Promise<void>((resolve) => this.server?.listen(0, '127.0.0.1', resolve));
  }

  /** Under another name of loopback it is another origin and another site. */
  url(path: string, host = '127.0.0.1'): string {
    return `http://${host}:${(this.server?.address() as AddressInfo).port}${path}`;
  }

  /** The requests for a path since the last call of `forget`. */
  requestsTo(path: string): IncomingMessage[] {
    return this.requests.filter(({ url }) => url === path);
  }

  forget(): void {
    this.requests.length = 0;
  }

  async close(): Promise<void> {
    this.server?.closeAllConnections();
    await new Promise((resolve) => this.server?.close(resolve));
  }
}
