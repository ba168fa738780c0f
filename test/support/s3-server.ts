import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * - `serve`: works
 * - `refuse`: the port is closed
 * - `error`: 500 InternalError
 * - `slow-down`: 503 SlowDown
 * - `deny`: 403 AccessDenied
 * - `no-such-key`: 404 NoSuchKey, which some compatible stores also answer to the deletion of a missing object
 * - `hang`: never answers; `hang-put`: never answers the upload of a capture, but every other request; `hang-others`: never
 *   answers the upload of a capture's files after its first one
 * - `cut`: breaks the connection halfway through an upload or a download
 * - `stall`: sends half of a download and then nothing
 * - `truncate`: has lost the second half of each object without noticing
 */
export type S3Mode =
  | 'serve'
  | 'refuse'
  | 'error'
  | 'slow-down'
  | 'deny'
  | 'no-such-key'
  | 'hang'
  | 'hang-put'
  | 'hang-others'
  | 'hang-delete'
  | 'cut'
  | 'stall'
  | 'truncate';

export const S3_KEY_ID = 'test-key';
const BUCKET = 'captures';

/** The part of S3 that we use, with one bucket, on loopback; a test can make it fail. */
export class S3Server {
  readonly objects = new Map<string, Buffer>();
  /** Method and key of each request, in order. */
  readonly requests: string[] = [];
  private server: Server | undefined;
  private port = 0;
  private mode: S3Mode = 'refuse';
  private failures = Infinity;

  static async start(): Promise<S3Server> {
    const store = new S3Server();
    await store.set('serve');
    return store;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Variables of libs/config that put the files here. */
  get settings(): Record<string, string> {
    return {
      S3_BUCKET: BUCKET,
      S3_ENDPOINT: this.url,
      S3_ACCESS_KEY_ID: S3_KEY_ID,
      S3_SECRET_ACCESS_KEY: 'test-secret',
    };
  }

  /** Changes the mode, permanently or for a number of requests; `refuse` also cuts open connections. */
  async set(mode: S3Mode, requests = Infinity): Promise<void> {
    this.mode = mode;
    this.failures = requests;
    if (mode === 'refuse') await this.close();
    else if (!this.server) await this.listen();
  }

  /** Number of requests with this method, without the health probes. */
  count(method: string): number {
    return this.requests.filter((request) => request.startsWith(`${method} captures/`)).length;
  }

  /** Number of open connections. */
  async connections(): Promise<number> {
    const { server } = this;
    if (!server) return 0;
    return new Promise((resolve, reject) => {
      server.getConnections((error, count) => {
        if (error) reject(error);
        else resolve(count);
      });
    });
  }

  async close(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    if (!server) return;
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  private async listen(): Promise<void> {
    const server = createServer((request, response) => {
      // A client that was cut off needs no response.
      this.answer(request, response).catch(() => response.destroy());
    });
    server.listen(this.port, '127.0.0.1');
    await once(server, 'listening');
    this.port = (server.address() as AddressInfo).port;
    this.server = server;
  }

  private takeMode(): S3Mode {
    if (this.failures-- > 0) return this.mode;
    return 'serve';
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, bucket = '', ...path] = (request.url ?? '').split('?')[0]?.split('/') ?? [];
    const key = path.join('/');
    this.requests.push(`${request.method} ${key}`);
    const isCapture = request.method === 'PUT' && key.startsWith('captures/');
    const isOther = isCapture && /n\d+\.[a-z]+$/.test(key);
    const isDeletion = request.method === 'DELETE' && key.startsWith('captures/');
    const isHarmed: Partial<Record<S3Mode, boolean>> = {
      'hang-put': isCapture,
      'hang-others': isOther,
      'hang-delete': isDeletion,
    };
    const mode = isHarmed[this.mode] === false ? 'serve' : this.takeMode();
    if (mode === 'hang' || mode in isHarmed) {
      request.resume();
      return;
    }
    if (mode === 'cut' && request.method !== 'GET') {
      await once(request, 'data');
      request.socket.destroy();
      return;
    }
    const body = Buffer.concat((await request.toArray()) as Buffer[]);
    const fault = faultOf(mode) ?? signatureFault(request, body) ?? (bucket === BUCKET ? null : NO_BUCKET);
    if (fault) refuse(response, fault);
    else this.serve({ method: request.method, key, body, range: request.headers.range, mode }, response);
  }

  private serve(asked: Asked, response: ServerResponse): void {
    const { method, key, body } = asked;
    if (method === 'PUT') {
      this.objects.set(key, body);
      response.writeHead(200, { etag: `"${createHash('md5').update(body).digest('hex')}"` }).end();
    } else if (method === 'DELETE') {
      this.objects.delete(key);
      response.writeHead(204).end();
    } else if (method === 'GET') {
      const object = this.objects.get(key);
      if (object) send(object, asked, response);
      else refuse(response, { status: 404, code: 'NoSuchKey' });
    } else {
      refuse(response, { status: 501, code: 'NotImplemented' });
    }
  }
}

interface Asked {
  readonly method: string | undefined;
  readonly key: string;
  readonly body: Buffer;
  readonly range: string | undefined;
  readonly mode: S3Mode;
}

interface Refusal {
  readonly status: number;
  readonly code: string;
}

const NO_BUCKET: Refusal = { status: 404, code: 'NoSuchBucket' };

const FAULTS: Partial<Record<S3Mode, Refusal>> = {
  error: { status: 500, code: 'InternalError' },
  'slow-down': { status: 503, code: 'SlowDown' },
  deny: { status: 403, code: 'AccessDenied' },
  'no-such-key': { status: 404, code: 'NoSuchKey' },
};

function faultOf(mode: S3Mode): Refusal | null {
  return FAULTS[mode] ?? null;
}

/** Checks that a request is signed and that its body has the signed hash; does not verify the signature itself. */
function signatureFault({ headers }: IncomingMessage, body: Buffer): Refusal | null {
  const scope = `AWS4-HMAC-SHA256 Credential=${S3_KEY_ID}/`;
  const signed =
    headers.authorization?.startsWith(scope) && headers.authorization.includes('x-amz-content-sha256');
  if (!signed || headers['x-amz-date'] === undefined) return { status: 403, code: 'AccessDenied' };
  return headers['x-amz-content-sha256'] === createHash('sha256').update(body).digest('hex')
    ? null
    : { status: 400, code: 'XAmzContentSHA256Mismatch' };
}

function refuse(response: ServerResponse, { status, code }: Refusal): void {
  response
    .writeHead(status, { 'content-type': 'application/xml' })
    .end(
      `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`,
    );
}

function send(object: Buffer, { range, mode }: Asked, response: ServerResponse): void {
  const kept = mode === 'truncate' ? object.subarray(0, object.length / 2) : object;
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? [];
  const start = Number(from ?? 0);
  const end = Math.min(Number(to ?? Infinity), kept.length - 1);
  if (range !== undefined && start > end) {
    refuse(response, { status: 416, code: 'InvalidRange' });
    return;
  }
  const part = kept.subarray(start, end + 1);
  response.writeHead(range === undefined ? 200 : 206, {
    'content-length': part.length,
    ...(range !== undefined && { 'content-range': `bytes ${start}-${end}/${kept.length}` }),
  });
  if (mode !== 'cut' && mode !== 'stall') {
    response.end(part);
    return;
  }
  response.write(part.subarray(0, part.length / 2), () => {
    if (mode === 'cut') response.destroy();
  });
}
