import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

export type Answer = (request: IncomingMessage, response: ServerResponse, url: URL) => void;

/** A page with these links, and more in its head and body. */
export function page(links: readonly string[], { title = 'A page', head = '', body = '' } = {}): Answer {
  const list = links
    .map((link) => (link.startsWith('<') ? link : `<li><a href="${link}">A link</a>`))
    .join('\n');
  return (_, response) => {
    response
      .setHeader('content-type', 'text/html; charset=utf-8')
      .end(`<!doctype html><title>${title}</title>${head}<h1>${title}</h1><ul>${list}</ul>${body}`);
  };
}

export function text(content: string | Buffer, type = 'text/plain'): Answer {
  return (_, response) => {
    response.setHeader('content-type', type).end(content);
  };
}

export function redirect(location: string, status = 301): Answer {
  return (_, response) => {
    response.writeHead(status, { location }).end();
  };
}

export function urlset(urls: readonly string[]): string {
  const entries = urls.map((url) => `<url><loc>${url}</loc></url>`).join('\n');
  return `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entries}</urlset>`;
}

/** A text that begins like this and never ends. */
export function endless(start: string, line: string): Answer {
  return (_, response) => {
    const lines = line.repeat(1_000);
    const write = (): void => {
      while (response.write(lines));
    };
    response.on('drain', write).setHeader('content-type', 'text/plain').write(start);
    write();
  };
}

/** Answers this many requests with a status, and then with the page. */
export function busy(
  times: number,
  headers: Readonly<Record<string, string>>,
  then: Answer,
  status = 429,
): Answer {
  let left = times;
  return (request, response, url) => {
    if (left-- <= 0) then(request, response, url);
    else response.writeHead(status, { 'content-type': 'text/html', ...headers }).end('<p>Too many</p>');
  };
}

export function gzipped(content: string): Answer {
  return text(gzipSync(content), 'application/gzip');
}

/** A site of a few pages that a spec describes; it notes who asked for what. */
export class CrawlSite {
  /** The paths that were asked for, with their queries. */
  readonly visits: string[] = [];
  private readonly pages = new Map<string, Answer>();
  private readonly prefixes: [string, Answer][] = [];
  private readonly server: Server;

  /** @param host an address of this machine */
  constructor(private readonly host = '127.0.0.1') {
    this.server = createServer((request, response) => {
      const url = new URL(request.url ?? '/', this.origin);
      this.visits.push(url.pathname + url.search);
      const answer =
        this.pages.get(url.pathname) ?? this.prefixes.find(([start]) => url.pathname.startsWith(start))?.[1];
      if (answer) answer(request, response, url);
      else response.writeHead(404, { 'content-type': 'text/html' }).end('<title>Not here</title>');
    });
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get origin(): string {
    return `http://${this.host}:${this.port}`;
  }

  async open(): Promise<this> {
    this.server.listen(0, this.host);
    await once(this.server, 'listening');
    return this;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** Replaces the pages of the site, and forgets its visits. A path that ends in `*` stands for all that begin like it. */
  describe(pages: Readonly<Record<string, Answer>>): void {
    this.pages.clear();
    this.prefixes.length = 0;
    this.visits.length = 0;
    for (const [path, answer] of Object.entries(pages)) {
      if (path.endsWith('*')) this.prefixes.push([path.slice(0, -1), answer]);
      else this.pages.set(path, answer);
    }
  }
}
