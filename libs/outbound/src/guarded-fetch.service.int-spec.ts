import http from 'node:http';
import https from 'node:https';
import net, { type AddressInfo } from 'node:net';
import tls from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Env } from '@app/config';
import { instantiate } from '@app/kernel';
import { Canaries } from '../../../test/egress/canaries.js';
import { FlippingResolver } from '../../../test/egress/flipping-resolver.js';
import { CERTIFICATE } from '../../../test/support/certificate.js';
import { eventually } from '../../../test/support/eventually.js';
import { freePort } from '../../../test/support/free-port.js';
import { BROKEN, IMPROPER, INTERIM, PROPER, STRICT } from '../../../test/support/raw-answers.js';
import { RawSite } from '../../../test/support/raw-site.js';
import { EgressGuard } from './egress-guard.js';
import { readEgressPolicy } from './egress-policy.js';
import type { FetchOutcome } from './guarded-client.js';
import { GuardedFetchService } from './guarded-fetch.service.js';

describe(GuardedFetchService.name, () => {
  let server: http.Server;
  let port: number;
  let serve: http.RequestListener;
  let sockets: Set<net.Socket>;
  let resolver: FlippingResolver;
  let canaries: Canaries;

  beforeAll(async () => {
    canaries = new Canaries();
    await canaries.open();
  });

  afterAll(() => {
    canaries.close();
  });

  beforeEach(async () => {
    resolver = new FlippingResolver();
    sockets = new Set();
    serve = (_, response) => void response.end('hello');
    server = http.createServer((request, response) => serve(request, response));
    server.on('connection', (socket) => sockets.add(socket));
    port = await listen(server);
  });

  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  interface Overrides {
    readonly allow?: string;
    readonly timeoutMs?: number;
    readonly signal?: AbortSignal;
    readonly body?: string;
  }

  const send = (url: string, { allow, ...overrides }: Overrides = {}): Promise<FetchOutcome> => {
    const values = {
      EGRESS_ALLOW: allow ?? `127.0.0.1:${port}`,
      EGRESS_PORTS: `8080,${new URL(url).port || 443}`,
    };
    const guard = new EgressGuard(readEgressPolicy(instantiate(Env, values)));
    const headers = { 'content-type': 'application/json', 'x-mark': 'm' };
    const defaults = {
      method: 'POST',
      headers,
      body: '{}',
      timeoutMs: 10_000,
      signal: new AbortController().signal,
    } as const;
    return new GuardedFetchService(guard, resolver).send({ ...defaults, ...overrides, url: new URL(url) });
  };

  it('sends the body unchanged, once, and returns the status and headers of the response', async () => {
    const seen: unknown[] = [];
    serve = (request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (part: string) => (body += part));
      request.on('end', () => {
        const { 'x-mark': mark, 'content-length': length, host } = request.headers;
        seen.push({ method: request.method, url: request.url, body, mark, length, host });
        response.writeHead(429, { 'retry-after': '7' }).end('later');
      });
    };
    const outcome = await send(`http://127.0.0.1:${port}/hook?a=b`, { body: '{"ü":1}' });
    expect(outcome).toMatchObject({ kind: 'answered', status: 429, headers: { 'retry-after': '7' } });
    const host = `127.0.0.1:${port}`;
    expect(seen).toEqual([
      { method: 'POST', url: '/hook?a=b', body: '{"ü":1}', mark: 'm', length: '8', host },
    ]);
  });

  it('checks every address of a name and connects to one that it has checked', async () => {
    resolver.names.set('two.test', [['127.0.0.1', '127.0.0.2']]);
    expect(await send(`http://two.test:${port}/`)).toEqual({ kind: 'forbidden' });
    resolver.names.set('good.test', [['127.0.0.1']]);
    expect(await send(`http://good.test:${port}/`, { allow: `good.test:${port}` })).toMatchObject({
      status: 200,
    });
    expect(sockets.size).toBe(1);
  });

  it('tries four addresses of a name in their order, and no more', async () => {
    const closed = ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5'];
    resolver.names.set('fourth.test', [[...closed.slice(1), '127.0.0.1']]);
    resolver.names.set('fifth.test', [[...closed, '127.0.0.1']]);
    const allow = `fourth.test:${port},fifth.test:${port}`;
    expect(await send(`http://fourth.test:${port}/`, { allow })).toMatchObject({ status: 200 });
    expect(await send(`http://fifth.test:${port}/`, { allow })).toEqual({ kind: 'connection' });
  });

  it('resolves a name once for a request, so that a second answer has no effect', async () => {
    resolver.names.set('flip.test', [['127.0.0.1'], ['127.0.0.2']]);
    expect(await send(`http://flip.test:${port}/`)).toMatchObject({ status: 200 });
    expect(resolver.asked).toEqual(['flip.test']);
  });

  it('checks again for the next request: no connection is kept', async () => {
    resolver.names.set('flip.test', [['127.0.0.1'], ['169.254.169.254']]);
    expect(await send(`http://flip.test:${port}/`)).toMatchObject({ status: 200 });
    expect(await send(`http://flip.test:${port}/`)).toEqual({ kind: 'forbidden' });
    expect(sockets.size).toBe(1);
    await eventually('the connection is closed', () => [...sockets].every(({ destroyed }) => destroyed));
  });

  it('closes the connection after the response, however long the server would keep it', async () => {
    server.keepAliveTimeout = 600_000;
    expect(await send(`http://127.0.0.1:${port}/`)).toMatchObject({ kind: 'answered', status: 200 });
    await eventually(
      'it is closed',
      () => sockets.size === 1 && [...sockets].every((each) => each.destroyed),
    );
  });

  it('refuses addresses that are not public, in any spelling, without a connection', async () => {
    const [v4 = '', other = '', v6 = ''] = canaries.places;
    for (const place of [
      v4,
      other,
      v6,
      v4.replace('127.0.0.1', '0x7f.1'),
      v4.replace('127.0.0.1', 'localhost'),
    ]) {
      expect([place, await send(`http://${place}/`)]).toEqual([place, { kind: 'forbidden' }]);
    }
    for (const url of ['http://169.254.169.254/', 'http://10.0.0.1/', 'https://[::ffff:127.0.0.1]/']) {
      expect([url, await send(url)]).toEqual([url, { kind: 'forbidden' }]);
    }
    expect(canaries.songs).toEqual([]);
  });

  it('follows no redirect', async () => {
    const [canary = ''] = canaries.places;
    serve = (_, response) => void response.writeHead(307, { location: `http://${canary}/` }).end();
    expect(await send(`http://127.0.0.1:${port}/`)).toMatchObject({ kind: 'answered', status: 307 });
    expect(canaries.songs).toEqual([]);
  });

  it('ignores proxies of the environment', async () => {
    const [canary = ''] = canaries.places;
    const variables = ['http_proxy', 'HTTP_PROXY', 'ALL_PROXY', 'NODE_USE_ENV_PROXY'];
    for (const name of variables) process.env[name] = name.startsWith('NODE') ? '1' : `http://${canary}`;
    try {
      expect(await send(`http://127.0.0.1:${port}/`)).toMatchObject({ status: 200 });
    } finally {
      for (const name of variables) Reflect.deleteProperty(process.env, name);
    }
    expect(canaries.songs).toEqual([]);
  });

  it('distinguishes an unknown name, a closed port, a lost connection and an invalid response', async () => {
    expect(await send(`http://nobody.test:8080/`)).toEqual({ kind: 'dns' });
    const closed = await freePort();
    expect(await send(`http://127.0.0.1:${closed}/`, { allow: `127.0.0.1:${closed}` })).toEqual({
      kind: 'connection',
    });
    serve = (request) => request.socket.resetAndDestroy();
    expect(await send(`http://127.0.0.1:${port}/`)).toEqual({ kind: 'connection' });
    serve = (request) => void request.socket.end();
    expect(await send(`http://127.0.0.1:${port}/`)).toEqual({ kind: 'connection' });
    serve = (request) => void request.socket.end('I speak no HTTP\r\n\r\n');
    expect(await send(`http://127.0.0.1:${port}/`)).toEqual({ kind: 'invalid' });
  });

  it('times out when the server or the name server never responds', async () => {
    serve = () => undefined;
    expect(await send(`http://127.0.0.1:${port}/`, { timeoutMs: 200 })).toEqual({ kind: 'timeout' });
    await eventually('the connection is closed', () => [...sockets].every(({ destroyed }) => destroyed));
    resolver.resolve = () => new Promise(() => undefined);
    expect(await send(`http://silent.test:8080/`, { timeoutMs: 200 })).toEqual({ kind: 'timeout' });
  });

  it('times out while headers trickle in', async () => {
    const dripping: NodeJS.Timeout[] = [];
    serve = ({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      dripping.push(setInterval(() => socket.write('x-drip: drop\r\n'), 20));
    };
    expect(await send(`http://127.0.0.1:${port}/`, { timeoutMs: 300 })).toEqual({ kind: 'timeout' });
    dripping.forEach(clearInterval);
  });

  it('returns the status although the body trickles in without end, and closes the connection at the timeout', async () => {
    const dripping: NodeJS.Timeout[] = [];
    serve = (_, response) => {
      response.writeHead(202);
      dripping.push(setInterval(() => response.write('.'), 20));
    };
    expect(await send(`http://127.0.0.1:${port}/`, { timeoutMs: 300 })).toMatchObject({ status: 202 });
    await eventually('the connection is closed', () => [...sockets].every(({ destroyed }) => destroyed));
    dripping.forEach(clearInterval);
  });

  it('reads a little of an endless body and closes the connection', async () => {
    serve = (_, response) => {
      const pour = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536)));
      };
      response.on('drain', pour);
      pour();
    };
    expect(await send(`http://127.0.0.1:${port}/`)).toMatchObject({ status: 200 });
    await eventually('the connection is closed', () => [...sockets].every(({ destroyed }) => destroyed));
    for (const { bytesWritten } of sockets) expect(bytesWritten).toBeLessThan(10e6);
  });

  it('refuses endless headers', async () => {
    serve = ({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const pour = (): void => {
        while (!socket.destroyed && socket.write(`x-${'a'.repeat(1_000)}: ${'b'.repeat(1_000)}\r\n`));
      };
      socket.on('drain', pour);
      pour();
    };
    expect(await send(`http://127.0.0.1:${port}/`)).toEqual({ kind: 'invalid' });
  });

  it.each(Object.entries({ ...IMPROPER, ...STRICT, ...INTERIM, ...BROKEN, ...PROPER }))(
    'settles when a response is invalid or incomplete: %s',
    async (name, answer) => {
      const raw = await RawSite.open('http', { [name]: answer });
      const to = { allow: `127.0.0.1:${raw.port}`, timeoutMs: 1_000 };
      const { kind } = await send(raw.url(name), to);
      expect(['answered', 'invalid', 'connection', 'timeout']).toContain(kind);
      // These have a status, and the rest does not matter. undici refuses a 100 that it did not ask for.
      const isRefused = ['100 before the answer', 'headers of 200 kB'].includes(name);
      if (name in BROKEN || (name in PROPER && !isRefused)) expect(kind).toBe('answered');
      await raw.close();
    },
  );

  it('rejects with the reason of the signal when the caller cancels', async () => {
    const cancel = new AbortController();
    serve = () => {
      cancel.abort(new Error('enough'));
    };
    await expect(send(`http://127.0.0.1:${port}/`, { signal: cancel.signal })).rejects.toThrow('enough');
    await expect(send(`http://127.0.0.1:${port}/`, { signal: cancel.signal })).rejects.toThrow('enough');
    await eventually('the connection is closed', () => [...sockets].every(({ destroyed }) => destroyed));
  });

  describe('with TLS', () => {
    let secure: https.Server;
    let securePort: number;

    beforeAll(async () => {
      secure = https.createServer(CERTIFICATE, (_, response) => void response.end('hello'));
      securePort = await listen(secure);
    });

    afterAll(() => {
      secure.closeAllConnections();
      secure.close();
    });

    it('refuses an untrusted certificate, whatever the environment says', async () => {
      resolver.names.set('site.test', [['127.0.0.1']]);
      const to = { allow: `127.0.0.1:${securePort}` };
      expect(await send(`https://site.test:${securePort}/`, to)).toEqual({ kind: 'tls' });
      process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
      try {
        expect(await send(`https://site.test:${securePort}/`, to)).toEqual({ kind: 'tls' });
      } finally {
        delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
      }
    });

    it('verifies the name of the URL, not the address of the connection', async () => {
      resolver.names.set('site.test', [['127.0.0.1']]).set('other.test', [['127.0.0.1']]);
      const known = tls.getCACertificates('default');
      tls.setDefaultCACertificates([...known, CERTIFICATE.cert]);
      try {
        const to = { allow: `127.0.0.1:${securePort}` };
        expect(await send(`https://site.test:${securePort}/`, to)).toMatchObject({ status: 200 });
        expect(await send(`https://other.test:${securePort}/`, to)).toEqual({ kind: 'tls' });
      } finally {
        tls.setDefaultCACertificates(known);
      }
    });

    it('times out when a handshake never completes', async () => {
      const mute = net.createServer();
      const mutePort = await listen(mute);
      const to = { allow: `127.0.0.1:${mutePort}`, timeoutMs: 200 };
      expect(await send(`https://127.0.0.1:${mutePort}/`, to)).toEqual({ kind: 'timeout' });
      mute.close();
    });
  });
});

async function listen(server: net.Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}
