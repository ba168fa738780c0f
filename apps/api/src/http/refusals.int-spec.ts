import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SCOPES } from '@app/auth';
import { AppError, ERRORS, newId } from '@app/kernel';
import { refusalOf } from '../../../../test/input/refusal.js';
import { startApi, type TestApi } from '../../../../test/support/api.js';
import { json, statusAndCode, type Client, type Json } from '../../../../test/support/client.js';
import type { Routes } from './allowed-methods.js';

const PAGE = 'https://example.com/';
const JSON_TYPE = 'application/json';

describe('the API', () => {
  let api: TestApi;
  let client: Client & { readonly accountId: string };

  beforeAll(async () => {
    // Bodies of 20 MB take long on a busy machine.
    api = await startApi({ HTTP_REQUEST_TIMEOUT_MS: '600000' });
    client = await api.client({}, SCOPES);
  });
  afterAll(() => api.close());

  const routes = (): { method: string; path: string }[] => {
    const { router } = api.app.getHttpAdapter().getInstance() as unknown as { router: Routes };
    return router.stack.flatMap(({ route }) => {
      const methods = Object.keys(route?.methods ?? {});
      if (!route?.path.startsWith('/v1/') || methods.length > 10) return [];
      return methods.map((method) => ({ method: method.toUpperCase(), path: route.path }));
    });
  };

  const isLink = ({ path }: { path: string }): boolean =>
    path === '/v1/render' || path.startsWith('/v1/files/');

  it('refuses an unknown query parameter on every route, and an unsigned link before it is parsed', async () => {
    expect(routes().length).toBeGreaterThan(15);
    const [links, others] = [routes().filter(isLink), routes().filter((route) => !isLink(route))];
    expect(links.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
      'GET /v1/files/:id',
      'GET /v1/files/:id/:name',
      'GET /v1/render',
      'OPTIONS /v1/render',
    ]);
    expect(await statusAndCode(client.get('/v1/render?nonsense=1'))).toEqual([403, 'signature_invalid']);
    const file = client.get(`/v1/files/${newId()}?nonsense=1`);
    expect(await statusAndCode(file)).toEqual([403, 'signature_invalid']);
    for (const { method, path } of others) {
      const type = path.endsWith('csv') ? 'text/csv' : JSON_TYPE;
      const init = method === 'POST' ? { headers: { 'content-type': type }, body: '{}' } : {};
      const response = await client.send(method, `${path.replace(':id', newId())}?nonsense=1`, init);
      const { code, errors } = (await json(response)) as { code: string; errors: Json[] };
      expect([method, path, code, errors[0]?.pointer]).toEqual([
        method,
        path,
        'invalid_request',
        '/nonsense',
      ]);
    }
    const misspelt = await json(client.get(`/v1/jobs/${newId()}?wai=3`));
    expect(misspelt.detail).toContain('did you mean wait?');
    expect((await client.get('/livez?nonsense=1')).status).toBe(200);
  });

  it.each([
    ['GET', '/v1/bulk/json', 'POST'],
    ['GET', '/v1/bulk/csv', 'POST'],
    ['HEAD', '/v1/bulk/csv', 'POST'],
    ['DELETE', '/v1/captures/stats', 'GET, HEAD'],
  ])('does not match %s %s to a route with an id', async (method, path, allow) => {
    const response = await client.send(method, path);
    expect([response.status, response.headers.get('allow')]).toEqual([405, allow]);
    expect((await client.get('/v1/bulk/jsons')).status).toBe(404);
  });

  describe('a body of 20 MB', () => {
    const megabytes = function* (piece: string): Generator<Buffer> {
      for (let i = 0; i < 20; i++) yield Buffer.from(piece.repeat(1_048_576 / piece.length));
    };
    const form = '--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\nhtml\n';

    it.each([
      ['JSON', '/v1/capture', JSON_TYPE, '{', ' '],
      ['JSON of a batch', '/v1/bulk/json', JSON_TYPE, '{', ' '],
      ['CSV', '/v1/bulk/csv', 'text/csv', 'html\n', 'x'],
      ['a form', '/v1/bulk/csv', 'multipart/form-data; boundary=b', form, 'x'],
    ])('is refused with a 413 that fetch can read: %s', async (...[, path, type, start, filling]) => {
      const headers = { 'content-type': type };
      const pieces = (): Buffer[] => [Buffer.from(start), ...megabytes(`${filling.repeat(65_535)}\n`)];
      const whole = new Uint8Array(Buffer.concat(pieces()));
      for (let tries = 0; tries < 4; tries++) {
        expect(await refusalOf(client.send('POST', path, { headers, body: whole }))).toBe(
          '413 payload_too_large',
        );
        if (tries > 0) continue;
        const body = Readable.toWeb(Readable.from(pieces())) as ReadableStream;
        const chunked = { headers, body, duplex: 'half' } as RequestInit;
        expect(await refusalOf(client.send('POST', path, chunked))).toBe('413 payload_too_large');
      }
    });
  });

  it('accepts html of its documented maximum, however JSON escapes it', async () => {
    const html = '\u0001'.repeat(1_048_576);
    const body = { url: PAGE, html };
    // The html was read: the fault is that url and html are both set.
    expect(await refusalOf(client.submit(body))).toBe('400 invalid_request /html');
    const rows = { items: [body] };
    expect(await refusalOf(client.post('/v1/bulk/json', rows))).toBe('400 invalid_request /items/0/html');
  });

  it.each([
    ['a job', '/v1/jobs', { url: PAGE, response: 'json' }, '/response'],
    ['a row', '/v1/bulk/json', { items: [{ url: PAGE, response: 'file' }] }, '/items/0/response'],
    [
      'all rows',
      '/v1/bulk/json',
      { items: [{ url: PAGE }], defaults: { response: 'json' } },
      '/defaults/response',
    ],
  ])(
    'refuses the option response for a capture without a waiting caller: %s',
    async (_, path, body, pointer) => {
      expect(await refusalOf(client.post(path, body))).toBe(`400 invalid_request ${pointer}`);
    },
  );

  it.each([
    ['{"url":"https://example.com/",}', 'property name expected in line 1, column 31'],
    ['{\n  "url": "https://hunter2.example/"\n  "format": "png"\n}', 'comma expected in line 3, column 3'],
    ['{"url":', 'value expected in line 1, column 8'],
    ['{} {}', 'end of file expected in line 1, column 4'],
    ['[', 'close bracket expected'],
  ])('says where the JSON is invalid: %j', async (body, place) => {
    const problem = await json(
      client.send('POST', '/v1/capture', { headers: { 'content-type': JSON_TYPE }, body }),
    );
    expect(problem.detail).toContain(`The body is not valid JSON: ${place}`);
    expect(JSON.stringify(problem)).not.toContain('hunter2');
  });

  it.each([
    ['http://example.com:3000/', '3000'],
    ['https://93.184.216.34:22/', '22'],
  ])('says of %s that the port is not allowed, and which ports are', async (url, port) => {
    const detail = `must have one of the ports that are allowed (80, 443, 8080, 8443), not ${port}`;
    expect(await json(client.capture({ url }))).toMatchObject({
      code: 'target_forbidden',
      detail: `The address ${detail}.`,
    });
    const webhook = await json(client.submit({ url: PAGE, webhook_url: url.replace('http:', 'https:') }));
    expect(webhook).toMatchObject({
      errors: [{ pointer: '/webhook_url', code: 'port_not_allowed', detail }],
    });
    const row = await json(client.post('/v1/bulk/json', { items: [{ url }] }));
    expect(row).toMatchObject({ errors: [{ pointer: '/items/0/url', code: 'port_not_allowed', detail }] });
    // Where the service stands is not said, whatever the port.
    const inside = await json(client.capture({ url: `http://10.0.0.1:${port}/` }));
    expect(inside.detail).toBe(ERRORS.target_forbidden.doc);
  });

  it('reads a date as its midnight in UTC, and shows the expected format', async () => {
    await client.submit({ url: PAGE });
    const stats = await json(client.get('/v1/captures/stats?from=2026-11-01&to=2026-11-03'));
    expect(stats).toMatchObject({ from: '2026-11-01T00:00:00.000Z', to: '2026-11-03T00:00:00.000Z' });
    const list = async (query: string) =>
      ((await json(client.get(`/v1/captures?${query}`))).items as Json[]).length;
    expect([await list('created_after=2026-01-01'), await list('created_before=2026-01-01')]).toEqual([1, 0]);
    for (const name of ['from', 'to']) {
      for (const wrong of ['', '1.11.2026', '2026-02-30', '2026-11-01T10:00', 'x'.repeat(30)]) {
        const { detail } = await json(client.get(`/v1/captures/stats?${name}=${wrong}`));
        expect(detail).toContain('2026-11-21T10:15:30Z');
      }
    }
  });

  it('has a detail that says what applies to the request', async () => {
    const poor = await api.client({ allowance: 2 });
    const items = Array.from({ length: 3 }, () => ({ url: PAGE }));
    expect(await json(poor.post('/v1/bulk/json', { items }))).toMatchObject({
      status: 402,
      detail: expect.stringMatching(/^3 captures are asked for, and 2 are left in the allowance\./),
    });
    const empty = await api.client({ allowance: 0 });
    expect(await json(empty.submit({ url: PAGE }))).toMatchObject({
      status: 402,
      detail: expect.stringMatching(/^1 capture is asked for, and 0 are left/),
    });
    const busy = await api.client({ concurrency: 1 });
    const first = busy.capture({ url: PAGE });
    const claimed = await api.claim(busy);
    expect(await json(busy.capture({ url: PAGE }))).toMatchObject({
      status: 429,
      detail: expect.stringMatching(/^1 capture is in progress, and the account may have 1\./),
    });
    await claimed.fail(new AppError('target_dns_error'));
    await first;
    const key = { 'idempotency-key': 'one' };
    const { id } = await json(client.submit({ url: PAGE }, key));
    expect(await json(client.submit({ url: `${PAGE}2` }, key))).toMatchObject({
      status: 422,
      detail: expect.stringContaining(String(id)),
    });
    expect((await json(client.withKey(null).get('/v1/usage'))).detail).toContain('X-API-Key');
  });

  it('uses singular and plural correctly', async () => {
    const post = (body: string): Promise<Response> =>
      client.send('POST', '/v1/bulk/csv', { headers: { 'content-type': 'text/csv' }, body });
    expect((await json(post('url\nno'))).detail).toMatch(/^1 of 1 row is not valid/);
    expect((await json(post('url\nno\nno'))).detail).toMatch(/^2 of 2 rows are not valid/);
    const { errors } = (await json(post(`url,format\n${PAGE}`))) as { errors: Json[] };
    expect(errors[0]?.detail).toMatch(/^has 1 cell, but/);
  });
});
