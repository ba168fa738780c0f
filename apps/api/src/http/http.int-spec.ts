import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ERRORS } from '@app/kernel';
import { startApi, type TestApi } from '../../../../test/support/api.js';
import { json, type Client } from '../../../../test/support/client.js';
import { JSON_LIMIT_BYTES } from './body/json-body.js';

describe('HTTP', () => {
  let api: TestApi;
  let client: Client;
  let key: string;

  beforeAll(async () => {
    api = await startApi();
    client = await api.client();
    key = (client as unknown as { key: string }).key;
  });

  afterAll(async () => {
    await api.close();
  });

  const post = (body: BodyInit, headers: Record<string, string> = { 'content-type': 'application/json' }) =>
    client.send('POST', '/v1/capture', { body, headers });

  /** Sends raw bytes, and reads until the connection is closed. */
  const raw = (text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
      let answer = '';
      socket.on('data', (chunk) => (answer += chunk.toString('latin1')));
      socket.on('close', () => {
        resolve(answer);
      });
      socket.on('error', reject);
      socket.write(text);
    });

  describe('request ids', () => {
    it('are set on every response, errors included', async () => {
      for (const path of ['/v1/version', '/nowhere', '/v1/captures/x']) {
        expect((await client.get(path)).headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
      }
    });

    it("are the caller's own if it sends one, and are part of a problem", async () => {
      const response = await client.get('/nowhere', { 'x-request-id': 'my-request_1' });
      expect(response.headers.get('x-request-id')).toBe('my-request_1');
      expect(await json(response)).toMatchObject({ request_id: 'my-request_1' });
    });

    it.each(['short', 'x'.repeat(65), 'with space', 'semi;colon'])(
      'replace an unsafe one: %j',
      async (id) => {
        const response = await client.get('/v1/version', { 'x-request-id': id });
        expect(response.headers.get('x-request-id')).not.toBe(id);
      },
    );
  });

  describe('authentication', () => {
    it.each([
      ['no key', {}],
      ['another scheme', { authorization: 'Basic dXNlcjpwYXNz' }],
      ['a key with a typing error', { authorization: `Bearer cap_${'A'.repeat(16)}_${'B'.repeat(38)}` }],
      ['10 kB', { authorization: `Bearer ${'c'.repeat(10_240)}` }],
      ['an empty key', { 'x-api-key': '' }],
    ])('refuses %s with the same 401', async (_, headers) => {
      const response = await client.withKey(null).get('/v1/usage', headers);
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/);
      const { request_id: _id, ...problem } = await json(response);
      expect(problem).toEqual({
        type: '/docs/errors#unauthorized',
        title: 'A valid API key is required',
        status: 401,
        detail: ERRORS.unauthorized.doc,
        code: 'unauthorized',
        retryable: false,
      });
    });

    it('accepts the key in X-API-Key, but not in the query', async () => {
      const stranger = client.withKey(null);
      expect((await stranger.get('/v1/usage', { 'x-api-key': key })).status).toBe(200);
      expect((await stranger.get('/v1/usage', { authorization: `bearer ${key}` })).status).toBe(200);
      expect((await stranger.get(`/v1/usage?key=${key}&api_key=${key}&access_key=${key}`)).status).toBe(401);
    });

    it('is checked before the body is read', async () => {
      const response = await client.withKey(null).send('POST', '/v1/capture', {
        body: '{',
        headers: { 'content-type': 'text/plain' },
      });
      expect(response.status).toBe(401);
    });

    it('is not required for health, version, probes and docs', async () => {
      const stranger = client.withKey(null);
      const paths = [
        '/v1/health',
        '/v1/version',
        '/livez',
        '/readyz',
        '/startupz',
        '/docs',
        '/docs/openapi.json',
        '/docs/errors',
      ];
      for (const path of paths) expect([path, (await stranger.get(path)).status]).toEqual([path, 200]);
    });
  });

  describe('routes', () => {
    it('that do not exist respond with 404', async () => {
      const response = await client.get('/v1/nothing');
      expect(response.status).toBe(404);
      expect(response.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
      expect(await json(response)).toMatchObject({ code: 'not_found', type: '/docs/errors#not_found' });
    });

    it.each([
      ['PUT', '/v1/capture', 'POST'],
      ['GET', '/v1/capture', 'POST'],
      ['DELETE', '/v1/captures/stats', 'GET, HEAD'],
      ['POST', '/v1/jobs/x/result', 'GET, HEAD'],
      ['POST', '/docs/errors', 'GET, HEAD'],
    ])('do not allow %s on %s', async (method, path, allow) => {
      const response = await client.send(method, path);
      expect(response.status).toBe(405);
      expect(response.headers.get('allow')).toBe(allow);
      expect(await json(response)).toMatchObject({ code: 'method_not_allowed' });
    });

    it('have one spelling only', async () => {
      for (const path of ['/V1/usage', '/v1/usage/', '/V1/render', '/v1/render/', '/V1/usage?x=1']) {
        expect([path, (await client.get(path)).status]).toEqual([path, 404]);
      }
    });

    it.each(['user@localhost', 'localhost/path', 'localhost?x', 'local host'])(
      'are not found by a Host header that is no host: %j',
      async (host) => {
        for (const route of ['GET /v1/version', 'POST /mcp', 'GET /console', 'POST /console/session']) {
          const answer = await raw(`${route} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
          expect([route, answer]).toEqual([
            route,
            expect.stringMatching(/^HTTP\/1\.1 400 [^]*"code":"invalid_request"/),
          ]);
        }
      },
    );

    it('allow HEAD wherever they allow GET', async () => {
      for (const path of ['/v1/usage', '/v1/captures', '/v1/devices', '/v1/health', '/v1/captures/stats']) {
        const response = await client.send('HEAD', path);
        expect([path, response.status, await response.text()]).toEqual([path, 200, '']);
      }
      expect((await client.send('HEAD', '/v1/captures/x')).status).toBe(404);
    });

    it.each(['%FF', '%E0%A4%A', '%'])(
      'whose id cannot be decoded respond like an unknown id: %s',
      async (id) => {
        const response = await client.get(`/v1/captures/${id}`);
        expect([response.status, (await json(response)).code]).toEqual([404, 'not_found']);
      },
    );
  });

  describe('bodies', () => {
    const problemOf = async (response: Promise<Response>) => {
      const { status, code, detail } = await json(response);
      return { status, code, detail: String(detail) };
    };

    it.each(['{', '', '{"url":"https://a.example",}', "{'url':1}", '{"url":"\\ud8"}'])(
      'that are not JSON are refused without quoting the parser: %j',
      async (body) => {
        expect(await problemOf(post(body))).toEqual({
          status: 400,
          code: 'invalid_request',
          detail: expect.stringMatching(/^The body is not valid JSON: [a-z ]+ in line 1, column \d+\.$/),
        });
      },
    );

    it.each(['[]', '5', '"text"', 'null', 'true'])('must be an object, not %s', async (body) => {
      expect(await problemOf(post(body))).toMatchObject({ status: 400, code: 'invalid_request' });
    });

    it('that nest deeply are refused, and the process survives', async () => {
      const deep = `{"headers":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`;
      expect(await problemOf(post(deep))).toMatchObject({ status: 400, code: 'invalid_request' });
      expect((await client.get('/livez')).status).toBe(200);
    });

    it('cannot reach a prototype', async () => {
      for (const body of ['{"__proto__":{"admin":true}}', '{"constructor":{"prototype":{"admin":true}}}']) {
        const response = await post(body);
        expect(response.status).toBe(400);
        expect(await json(response)).toMatchObject({
          errors: expect.arrayContaining([expect.objectContaining({ code: 'unknown_field' })]),
        });
      }
      expect(({} as { admin?: boolean }).admin).toBeUndefined();
    });

    it.each([
      ['text/xml', 'text/xml'],
      ['a form', 'application/x-www-form-urlencoded'],
      ['UTF-16', 'application/json; charset=utf-16'],
      ['a similar one', 'application/jsonx'],
    ])('of type %s are refused with 415', async (_, type) => {
      expect(await problemOf(post('{}', { 'content-type': type }))).toMatchObject({
        status: 415,
        code: 'unsupported_media_type',
      });
    });

    it('without a type are refused with 415', async () => {
      const answer = await raw(
        `POST /v1/capture HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`,
      );
      expect(answer).toMatch(/^HTTP\/1.1 415 /);
    });

    const tooLong = JSON.stringify({ html: 'x'.repeat(JSON_LIMIT_BYTES) });

    it('over 8 MB are refused with 413, which states the limit', async () => {
      expect(await problemOf(post(tooLong))).toEqual({
        status: 413,
        code: 'payload_too_large',
        detail: 'A JSON body may be at most 8388608 bytes (8 MB) long.',
      });
    });

    it('over 8 MB are refused with 413 without a Content-Length', async () => {
      const size = (20_000).toString(16);
      const chunks = `${size}\r\n${' '.repeat(20_000)}\r\n`.repeat(430);
      const answer = await raw(
        `POST /v1/capture HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`,
      );
      expect(answer).toMatch(/^HTTP\/1.1 413 /);
    });

    it('are measured after decompression', async () => {
      const bomb = gzipSync(Buffer.alloc(50_000_000, ' '));
      expect(bomb.length).toBeLessThan(100_000);
      const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
      expect(await problemOf(post(bomb, headers))).toMatchObject({ status: 413 });
    });

    it('may be compressed', async () => {
      const headers = { 'content-type': 'application/json; charset=UTF-8', 'content-encoding': 'gzip' };
      const response = await post(gzipSync('{"nonsense":1}'), headers);
      expect(await json(response)).toMatchObject({
        errors: expect.arrayContaining([expect.objectContaining({ pointer: '/nonsense' })]),
      });
    });

    it.each([
      ['compressed by an unsupported method', 'zip', 415],
      ['not compressed as they declare', 'gzip', 400],
    ])('that are %s are refused', async (_, encoding, status) => {
      const headers = { 'content-type': 'application/json', 'content-encoding': encoding };
      expect((await post('{}', headers)).status).toBe(status);
    });

    it('that are not UTF-8 are refused', async () => {
      expect(await problemOf(post(Buffer.from([0x7b, 0xff, 0x7d])))).toMatchObject({
        status: 400,
        detail: 'The body is not valid UTF-8.',
      });
    });
  });

  describe('bytes that are not a request', () => {
    it('are answered with a problem, and the connection is closed', async () => {
      const answer = await raw('NONSENSE\r\n\r\n');
      expect(answer).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/);
      expect(answer).toMatch(/X-Request-Id: [0-9a-f-]{36}\r\n/);
      expect(answer).toContain('"code":"invalid_request"');
    });

    it('are refused for more than 100 headers, or more than 16 kB of headers', async () => {
      const many = Array.from({ length: 200 }, (_, i) => `x-${i}: 1`).join('\r\n');
      expect(await raw(`GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${many}\r\n\r\n`)).toMatch(
        /^HTTP\/1.1 431 [^]*"code":"headers_too_large"/,
      );
      expect(await raw(`GET /livez HTTP/1.1\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`)).toMatch(
        /^HTTP\/1.1 431 [^]*"code":"headers_too_large"/,
      );
    });

    it('are answered with 408 when they arrive too slowly', async () => {
      const server = api.app.getHttpServer();
      const { headersTimeout, requestTimeout } = server;
      expect([headersTimeout, requestTimeout]).toEqual([10_000, 30_000]);
      server.headersTimeout = 1;
      server.requestTimeout = 1;
      try {
        expect(await raw('GET /livez HTTP/1.1\r\nHost:')).toMatch(
          /^HTTP\/1.1 408 [^]*"code":"request_timeout"/,
        );
      } finally {
        Object.assign(server, { headersTimeout, requestTimeout });
      }
    });
  });

  describe('meta routes', () => {
    it('show the usage, exactly', async () => {
      const other = await api.client({ allowance: 7, concurrency: 3 });
      expect(await json(other.get('/v1/usage'))).toEqual({
        total: 7,
        used: 0,
        available: 7,
        concurrency: { limit: 3, remaining: 3, reset_unix: expect.any(Number) },
      });
    });

    it('show the devices, and respond with 304 to a caller who has the current ones', async () => {
      const response = await client.get('/v1/devices');
      const etag = response.headers.get('etag') ?? '';
      expect(((await json(response)).items as object[])[0]).toEqual({
        id: expect.any(String),
        name: expect.any(String),
        category: expect.stringMatching(/^(phone|tablet|desktop)$/),
        viewport_width: expect.any(Number),
        viewport_height: expect.any(Number),
        device_scale_factor: expect.any(Number),
        mobile: expect.any(Boolean),
        touch: expect.any(Boolean),
        landscape: expect.any(Boolean),
        user_agent: expect.any(String),
      });
      expect((await client.get('/v1/devices', { 'if-none-match': etag })).status).toBe(304);
    });

    it('show the health, which is degraded while no worker is alive', async () => {
      const check = { status: 'ok', latency_ms: expect.any(Number), error: null };
      expect(await json(client.get('/v1/health'))).toEqual({
        status: 'degraded',
        checks: {
          database: check,
          queue: check,
          storage: check,
          workers: { ...check, status: 'down', error: 'no worker is alive', count: 0, slots: 0, busy: 0 },
          secrets: check,
        },
      });
    });

    it('show the version', async () => {
      const version = await json(client.get('/v1/version'));
      expect(Object.keys(version)).toEqual([
        'api_version',
        'version',
        'commit',
        'built_at',
        'node',
        'browser',
        'filter_lists',
      ]);
      expect(version).toMatchObject({
        api_version: 'v1',
        version: '0.2.0',
        node: process.version,
        browser: null,
      });
    });

    it('explain the error codes', async () => {
      const html = await (await client.get('/docs/errors')).text();
      expect(html).toContain('<section id="target_dns_error">');
      expect(html).toContain('&#60;key&#62;');
    });
  });
});
