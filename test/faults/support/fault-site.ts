import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { eventually } from '../../support/eventually.js';

const RELEASED = '<title>Released</title><h1>At last</h1>';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A page that does not answer until the test releases it. */
export interface HeldPage {
  readonly url: string;
  /** Number of requests so far. */
  readonly visits: number;
  /** The connections of the requests, first visit first. */
  readonly visitors: readonly Socket[];
  /** Resolves once there have been this many requests. */
  visited(times?: number, withinMs?: number): Promise<void>;
  /** Answers the waiting requests, and later ones at once. */
  release(): void;
}

/** A web site on loopback whose pages the test controls; any path is a page. */
export class FaultSite {
  private readonly answers = new Map<string, Answer>();
  private readonly visitors = new Map<string, Socket[]>();
  private readonly server = createServer((request, response) => this.answer(request, response));
  private pages = 0;

  static async open(): Promise<FaultSite> {
    const site = new FaultSite();
    site.server.listen(0, '127.0.0.1');
    await once(site.server, 'listening');
    return site;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Adds a page with this content, or one that a function answers; returns its URL, whose path begins with `name`. */
  page(answer: string | Answer = '<title>Here</title><h1>Here it is</h1>', name = 'page'): string {
    const path = `/${name}-${++this.pages}`;
    this.answers.set(path, typeof answer === 'string' ? showing(answer) : answer);
    return `http://127.0.0.1:${this.port}${path}`;
  }

  /** Adds a page that waits for its release. */
  hold(): HeldPage {
    const waiting: ServerResponse[] = [];
    const url = this.page((_, response) => void waiting.push(response));
    const path = new URL(url).pathname;
    const visitors = (): readonly Socket[] => this.visitors.get(path) ?? [];
    return {
      url,
      get visits() {
        return visitors().length;
      },
      get visitors() {
        return visitors();
      },
      visited: (times = 1, withinMs = 60_000) =>
        eventually(`${path} is visited ${times} times`, () => visitors().length >= times, withinMs),
      release: () => {
        this.answers.set(path, showing(RELEASED));
        for (const response of waiting.splice(0)) showing(RELEASED)(undefined, response);
      },
    };
  }

  async close(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? '/';
    this.visitors.set(path, [...(this.visitors.get(path) ?? []), request.socket]);
    (this.answers.get(path) ?? showing(''))(request, response);
  }
}

function showing(content: string): (_: unknown, response: ServerResponse) => void {
  return (_, response) => {
    response
      .writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
      .end(`<!doctype html>${content}`);
  };
}
