import http from 'node:http';
import net from 'node:net';
import type { Duplex } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { instantiate } from '@app/kernel';
import { Env } from '@app/config';
import { authorizationOf } from '../../../../test/support/loopback-egress.js';
import { EgressGuard } from '../egress-guard.js';
import { readEgressPolicy } from '../egress-policy.js';
import { Resolver, UnknownNameError } from '../resolver.js';
import { Descriptors } from './descriptors.js';
import { EgressProxy } from './egress-proxy.js';
import type { EgressLimits } from './meter.js';

/** Resolves each name to its answers in turn; the last one is repeated. */
class ScriptedResolver extends Resolver {
  asked = 0;

  constructor(private readonly answers: Record<string, string[][]>) {
    super();
  }

  resolve(host: string): Promise<string[]> {
    this.asked += 1;
    const left = this.answers[host] ?? [];
    const answer = left.length > 1 ? left.shift() : left[0];
    return answer ? Promise.resolve(answer) : Promise.reject(new UnknownNameError(host));
  }
}

const LIMITS: EgressLimits = { requests: 100, connections: 10, bytes: 1_000_000 };

const FORBIDDEN = 'ERR_BLOCKED_BY_ADMINISTRATOR';

describe(EgressProxy.name, () => {
  let site: http.Server;
  let port: number;
  let hits: string[];
  let proxy: EgressProxy;
  let asked: PromiseWithResolvers<net.Socket>;

  beforeEach(async () => {
    hits = [];
    asked = Promise.withResolvers();
    const used = new WeakSet<net.Socket>();
    site = http.createServer((request, response) => {
      hits.push(`${request.method} ${request.url}`);
      if (request.url === '/big') return void response.end(Buffer.alloc(2_000_000));
      if (request.url === '/empty') return void request.socket.end();
      if (request.url === '/silent') return void asked.resolve(request.resume().socket);
      if (request.url === '/once-more') {
        if (used.has(request.socket)) return void request.socket.destroy();
        used.add(request.socket);
      }
      response.setHeader('x-seen', JSON.stringify(request.headers));
      response.end('hello');
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    port = (site.address() as net.AddressInfo).port;
  });

  afterEach(async () => {
    await proxy.close();
    site.closeAllConnections();
    await new Promise((resolve) => site.close(resolve));
  });

  const open = async (
    names: Record<string, string[][]> = {},
    {
      limits = LIMITS,
      allow = `127.0.0.1:${port}`,
      descriptors,
    }: { limits?: EgressLimits; allow?: string; descriptors?: Descriptors } = {},
  ): Promise<ScriptedResolver> => {
    const resolver = new ScriptedResolver(names);
    const guard = new EgressGuard(readEgressPolicy(instantiate(Env, { EGRESS_ALLOW: allow })));
    proxy = await EgressProxy.listen({ guard, resolver, limits, descriptors });
    return resolver;
  };

  /** The headers of the browser context of the proxy. */
  const credentials = () => ({ 'proxy-authorization': authorizationOf(proxy.credential) });

  interface Answer {
    /** 0 when there was no readable response. */
    readonly status: number;
    readonly netError: string | undefined;
    readonly body: string;
    readonly seen: string;
  }

  const get = (url: string, headers: http.OutgoingHttpHeaders = {}): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const { hostname, port: proxyPort } = new URL(proxy.proxyUrl);
      const netError = () => proxy.netErrorOf(new URL(url));
      http
        .get({
          host: hostname,
          port: proxyPort,
          path: url,
          headers: { host: new URL(url).host, ...credentials(), ...headers },
        })
        .once('error', (error: NodeJS.ErrnoException) => {
          if (error.code !== 'HPE_UNEXPECTED_CONTENT_LENGTH') reject(error);
          else resolve({ status: 0, netError: netError(), body: '', seen: '' });
        })
        .once('response', (response) => {
          let body = '';
          response.on('data', (part: Buffer) => (body += part.toString()));
          response
            .once('error', () => undefined)
            .once('close', () => {
              const { statusCode: status = 0, headers } = response;
              resolve({ status, netError: netError(), body, seen: String(headers['x-seen']) });
            });
        });
    });

  const connect = (authority: string): Promise<{ status: number; netError: unknown; socket: Duplex }> =>
    new Promise((resolve, reject) => {
      const { hostname, port: proxyPort } = new URL(proxy.proxyUrl);
      http
        .request({
          host: hostname,
          port: proxyPort,
          method: 'CONNECT',
          path: authority,
          headers: credentials(),
        })
        .once('error', reject)
        .once('connect', (response, socket) => {
          const netError = proxy.netErrorOf(new URL(`http://${authority}`));
          resolve({ status: response.statusCode ?? 0, netError, socket });
        })
        .end();
    });

  it('reports that the process ran out of file descriptors during the capture, and not before', async () => {
    const descriptors = new Descriptors(0);
    descriptors.check();
    await open({}, { descriptors: new Descriptors() });
    await get(`http://127.0.0.1:${port}/`);
    expect(proxy.usage().starved).toBe(false);
    await proxy.close();
    await open({}, { descriptors });
    expect(proxy.usage().starved).toBe(false);
    await get(`http://127.0.0.1:${port}/`);
    expect(proxy.usage().starved).toBe(true);
  });

  it('forwards a request to an address that the guard allows', async () => {
    await open();
    expect(await get(`http://127.0.0.1:${port}/page?q=1`)).toMatchObject({ status: 200, body: 'hello' });
    expect(hits).toEqual(['GET /page?q=1']);
    expect(proxy.usage()).toMatchObject({ requests: 1, blocked: 0, exceeded: null });
    expect(proxy.usage().bytes).toBeGreaterThan(5);
  });

  it('opens a tunnel to an address that the guard allows', async () => {
    await open();
    const { status, socket } = await connect(`127.0.0.1:${port}`);
    expect(status).toBe(200);
    socket.write('GET /tunnelled HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    await new Promise((resolve) => socket.resume().once('close', resolve));
    expect(hits).toEqual(['GET /tunnelled']);
  });

  it.each([
    '127.0.0.1',
    '[::1]',
    '127.0.0.2',
    'localhost',
    '169.254.169.254',
    '10.0.0.1',
    '0.0.0.0',
    '[::ffff:127.0.0.1]',
  ])('refuses %s as a request and as a tunnel', async (host) => {
    await open({ localhost: [['127.0.0.1', '::1']] }, { allow: '192.0.2.1:80' });
    const plain = await get(`http://${host}:${port}/`);
    const tunnel = await connect(`${host}:${port}`);
    expect([plain.status, plain.netError, tunnel.status, tunnel.netError]).toEqual([
      0,
      FORBIDDEN,
      403,
      FORBIDDEN,
    ]);
    expect(proxy.usage().blocked).toBe(2);
    expect(hits).toEqual([]);
  });

  it('begins another capture with counts, names, failures and screens of its own', async () => {
    const limits = { ...LIMITS, requests: 2 };
    const resolver = await open(
      { 'site.test': [['127.0.0.1']], 'late.test': [] },
      { limits, allow: `site.test:${port},late.test:${port}` },
    );
    proxy.screen((host) => host === 'screened.test');
    await get(`http://site.test:${port}/`);
    await get(`http://late.test:${port}/`);
    expect(await get(`http://site.test:${port}/`)).toMatchObject({ netError: expect.any(String) });
    expect(proxy.usage()).toMatchObject({ requests: 3, exceeded: 'requests', blocked: 1 });

    proxy.restart();
    expect(proxy.usage()).toMatchObject({ requests: 0, bytes: 0, exceeded: null, blocked: 0 });
    expect(proxy.netErrorOf(new URL(`http://late.test:${port}/`))).toBeUndefined();
    const asked = resolver.asked;
    expect(await get(`http://site.test:${port}/`)).toMatchObject({ status: 200 });
    expect(resolver.asked).toBe(asked);
    expect(proxy.usage()).toMatchObject({ requests: 1, exceeded: null });
    expect(await get('http://screened.test/')).toMatchObject({ netError: 'ERR_NAME_NOT_RESOLVED' });
  });

  it('refuses the hosts of its screen, and does not count them as forbidden or as requests', async () => {
    await open({ 'ads.example': [['127.0.0.1']] }, { allow: `127.0.0.1:${port},ads.example:${port}` });
    const asked: string[] = [];
    proxy.screen((host) => {
      asked.push(host);
      return host === 'ads.example';
    });
    const plain = await get(`http://ads.example:${port}/`);
    const tunnel = await connect(`ads.example:${port}`);
    expect([plain.status, tunnel.status]).toEqual([0, 403]);
    expect([plain.netError, tunnel.netError]).toEqual(['ERR_BLOCKED_BY_CLIENT', 'ERR_BLOCKED_BY_CLIENT']);
    expect(await get(`http://127.0.0.1:${port}/page`)).toMatchObject({ status: 200 });
    expect(asked).toEqual(['ads.example', 'ads.example', '127.0.0.1']);
    expect(proxy.usage()).toMatchObject({ requests: 1, blocked: 0, exceeded: null });
  });

  it('refuses a name with a public and a private address', async () => {
    await open({ 'mixed.example': [['93.184.216.34', '127.0.0.1']] }, { allow: '192.0.2.1:80' });
    expect(await get('http://mixed.example/')).toMatchObject({ status: 0, netError: FORBIDDEN });
  });

  it('resolves a name once and connects to the checked address, so that a second answer has no effect', async () => {
    const resolver = await open(
      { 'rebind.example': [['127.0.0.1'], ['127.0.0.2']] },
      { allow: `rebind.example:${port}` },
    );
    for (const path of ['/1', '/2', '/3']) await get(`http://rebind.example:${port}${path}`);
    // Each tunnel is a connection of its own.
    const tunnels = [await connect(`rebind.example:${port}`), await connect(`rebind.example:${port}`)];
    expect(tunnels.map(({ status }) => status)).toEqual([200, 200]);
    expect(resolver.asked).toBe(1);
    expect(hits).toHaveLength(3);
  });

  it('reports an unknown name', async () => {
    await open();
    expect(await get('http://nowhere.example/')).toMatchObject({
      status: 0,
      netError: 'ERR_NAME_NOT_RESOLVED',
    });
    expect((await connect('nowhere.example:443')).netError).toBe('ERR_NAME_NOT_RESOLVED');
  });

  it('reports a closed port, and a server that sends no response', async () => {
    const closed = net.createServer();
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
    const { port: free } = closed.address() as net.AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    await open({}, { allow: `127.0.0.1:${free},127.0.0.1:${port}` });
    expect((await get(`http://127.0.0.1:${free}/`)).netError).toBe('ERR_CONNECTION_REFUSED');
    expect((await get(`http://127.0.0.1:${port}/empty`)).netError).toBe('ERR_EMPTY_RESPONSE');
  });

  it('does not forward the headers of the connection', async () => {
    await open();
    const { seen } = await get(`http://127.0.0.1:${port}/`, {
      'proxy-connection': 'keep-alive',
      connection: 'x-mine, keep-alive',
      'x-mine': '1',
      'x-page': '2',
    });
    expect(seen).not.toMatch(/proxy-|x-mine/);
    expect(seen).toMatch(/x-page/);
  });

  it('is no web server', async () => {
    await open();
    const answer = await fetch(`${proxy.proxyUrl}/v1/anything`, { headers: credentials() });
    expect(answer.status).toBe(400);
  });

  it('refuses requests beyond their limit, and reports the limit', async () => {
    await open({}, { limits: { ...LIMITS, requests: 2 } });
    const statuses = [];
    for (let i = 0; i < 4; i++) statuses.push((await get(`http://127.0.0.1:${port}/`)).status);
    expect(statuses).toEqual([200, 200, 0, 0]);
    expect(proxy.usage()).toMatchObject({ requests: 4, blocked: 2, exceeded: 'requests' });
  });

  it('cuts a client in the middle of a request when it is closed', async () => {
    await open();
    const client = net.connect(Number(new URL(proxy.proxyUrl).port), '127.0.0.1');
    const cut = new Promise((resolve) => client.once('error', () => undefined).once('close', resolve));
    await new Promise<void>((resolve) =>
      client.write('GET http://a.test/ HTTP/1.1\r\nHost: a', () => resolve()),
    );
    // The proxy has read the beginning of the request: it answers another one that came later.
    await get(`http://127.0.0.1:${port}/`);
    await proxy.close();
    await cut;
  });

  it('closes every connection once the bytes are used up', async () => {
    await open();
    const { body } = await get(`http://127.0.0.1:${port}/big`);
    expect(body.length).toBeLessThan(2_000_000);
    expect(proxy.usage().exceeded).toBe('bytes');
    expect((await get(`http://127.0.0.1:${port}/`)).netError).toBe('ERR_INSUFFICIENT_RESOURCES');
  });

  it('counts an upload without a response', async () => {
    await open();
    const { socket } = await connect(`127.0.0.1:${port}`);
    socket
      .on('error', () => undefined)
      .resume()
      .write('POST /silent HTTP/1.1\r\nhost: x\r\ncontent-length: 9000000\r\n\r\n');
    const cut = new Promise((resolve) => socket.once('close', resolve));
    socket.write(Buffer.alloc(4_000_000));
    await cut;
    expect(proxy.usage().exceeded).toBe('bytes');
  });

  it('closes idle connections to make room for another host', async () => {
    await open({}, { limits: { ...LIMITS, connections: 1 } });
    await get(`http://127.0.0.1:${port}/`);
    expect((await connect(`127.0.0.1:${port}`)).status).toBe(200);
    expect(proxy.usage().exceeded).toBeNull();
    expect((await connect(`127.0.0.1:${port}`)).status).toBe(403);
    expect(proxy.usage().exceeded).toBe('connections');
  });

  it('counts connections that are still dialled as open ones', async () => {
    await open(
      { 'site.test': [['127.0.0.1']] },
      { limits: { ...LIMITS, connections: 2 }, allow: `site.test:${port}` },
    );
    const tunnels = await Promise.all(Array.from({ length: 5 }, () => connect(`site.test:${port}`)));
    expect(tunnels.map(({ status }) => status).sort()).toEqual([200, 200, 403, 403, 403]);
    expect(proxy.usage()).toMatchObject({ exceeded: 'connections', blocked: 3 });
  });

  it('retries when the host has closed a kept connection', async () => {
    await open();
    expect((await get(`http://127.0.0.1:${port}/once-more`)).status).toBe(200);
    expect((await get(`http://127.0.0.1:${port}/once-more`)).status).toBe(200);
    expect(hits).toHaveLength(3);
  });

  it('cancels the request when the page no longer waits', async () => {
    await open();
    const { hostname, port: proxyPort } = new URL(proxy.proxyUrl);
    const request = http.get({
      host: hostname,
      port: proxyPort,
      path: `http://127.0.0.1:${port}/silent`,
      headers: credentials(),
    });
    request.on('error', () => undefined);
    const silent = await asked.promise;
    const left = new Promise((resolve) => silent.once('close', resolve));
    request.destroy();
    await left;
  });

  it('leaves no listener and no connection behind', async () => {
    await open();
    const { socket } = await connect(`127.0.0.1:${port}`);
    const gone = new Promise((resolve) => socket.once('close', resolve));
    await proxy.close();
    await gone;
    await expect(get(`http://127.0.0.1:${port}/`)).rejects.toThrow('ECONNREFUSED');
    await proxy.close();
  });
});
