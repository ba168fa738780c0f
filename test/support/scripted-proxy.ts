import http, { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * What happens to a request:
 *
 * - `pass`: it is forwarded, and so is its answer
 * - `lose`: it is forwarded; when the answer is there, the connection is cut without it
 * - `cut`: it is forwarded; the connection is cut after half of the body of the answer
 * - `stall`: as `cut`, but the connection stays open
 * - `drop`: the connection is cut at once
 * - `hang`: it is not answered
 * - an answer of its own
 */
export type Fate = 'pass' | 'lose' | 'cut' | 'stall' | 'drop' | 'hang' | OwnAnswer;

interface OwnAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

/** An HTTP proxy on loopback before a server, whose failures a test writes down request by request. */
export class ScriptedProxy {
  readonly requests: SeenRequest[] = [];
  /** The number of requests whose connection is open and whose answer is not complete. */
  inFlight = 0;
  private readonly fates: Fate[] = [];
  private readonly server = http.createServer((request, response) => {
    this.answer(request, response);
  });

  private constructor(private upstream: string) {}

  static async before(upstream: string): Promise<ScriptedProxy> {
    const proxy = new ScriptedProxy(upstream);
    await new Promise<void>((resolve) => proxy.server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Forgets earlier requests, and decides on the next ones; all others pass. */
  script(...fates: Fate[]): void {
    this.requests.length = 0;
    this.fates.splice(0, Infinity, ...fates);
  }

  /** Forwards to another server from now on. */
  moveTo(upstream: string): void {
    this.upstream = upstream;
  }

  /** Cuts every connection, as the restart of a server does. */
  cutAll(): void {
    this.server.closeAllConnections();
  }

  async close(): Promise<void> {
    this.cutAll();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const { method = '', url: path = '', headers } = request;
    this.requests.push({ method, path, headers });
    this.inFlight++;
    response.once('close', () => this.inFlight--);
    const fate = this.fates.shift() ?? 'pass';
    if (fate === 'drop') request.socket.destroy();
    else if (fate === 'hang') request.resume();
    else if (typeof fate === 'object') response.writeHead(fate.status, fate.headers).end(fate.body);
    else this.forward(request, response, fate);
  }

  private forward(
    request: IncomingMessage,
    response: ServerResponse,
    fate: 'pass' | 'lose' | 'cut' | 'stall',
  ): void {
    const { method, url: path = '/', headers } = request;
    const outside = http.request(
      new URL(path, this.upstream),
      { method, headers, agent: false },
      (answer) => {
        if (fate === 'pass') {
          response.writeHead(answer.statusCode ?? 500, answer.headers);
          answer.pipe(response);
          answer.once('error', () => response.destroy());
        } else {
          const chunks: Buffer[] = [];
          answer.on('data', (chunk: Buffer) => chunks.push(chunk));
          answer.once('end', () => {
            if (fate === 'lose') request.socket.destroy();
            else sendHalf(response, answer, { body: Buffer.concat(chunks), isCut: fate === 'cut' });
          });
        }
      },
    );
    outside.once('error', () => request.socket.destroy());
    response.once('close', () => outside.destroy());
    request.pipe(outside);
  }
}

function sendHalf(
  response: ServerResponse,
  { statusCode = 500, headers }: IncomingMessage,
  { body, isCut }: { readonly body: Buffer; readonly isCut: boolean },
): void {
  const { 'transfer-encoding': _, ...rest } = headers;
  response.writeHead(statusCode, { ...rest, 'content-length': String(body.length) });
  response.write(body.subarray(0, Math.floor(body.length / 2)), () => {
    if (isCut) response.destroy();
  });
}
