import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AppError, newId, ERRORS } from '@app/kernel';
import { startApi, type TestApi } from '../support/api.js';
import { json, type Client } from '../support/client.js';
import { exchange } from '../support/raw-http.js';
import { readProblem, refusalOf, tracesIn } from './refusal.js';

const PAGE = { url: 'https://example.com/' };

/** Rows 66, 68 to 74 and 78 of the bad-input matrix. */
describe('access', () => {
  let api: TestApi;
  let client: Client & { readonly accountId: string };
  let key: string;

  beforeAll(async () => {
    api = await startApi();
    client = await api.client();
    key = (client as unknown as { key: string }).key;
  });

  afterAll(async () => {
    await api.close();
  });

  const captured = async (end: 'succeed' | 'fail' | 'none', options = {}): Promise<string> => {
    const answer = client.capture({ ...PAGE, ...options }, { headers: { prefer: 'wait=1' } });
    const claimed = await api.claim();
    if (end === 'succeed') await claimed.succeed();
    if (end === 'fail') await claimed.fail(new AppError('target_dns_error', { phase: 'navigate' }));
    await (await answer).arrayBuffer();
    return claimed.id;
  };

  describe('to routes', () => {
    it.each([
      ['PUT', '/v1/capture', 'POST'],
      ['GET', '/v1/capture', 'POST'],
      ['HEAD', '/v1/capture', 'POST'],
      ['DELETE', '/v1/usage', 'GET, HEAD'],
      ['PATCH', '/v1/captures', 'GET, HEAD'],
      ['OPTIONS', '/v1/usage', 'GET, HEAD'],
      ['PROPFIND', '/v1/captures/x/result', 'GET, HEAD'],
      ['TRACE', '/v1/usage', 'GET, HEAD'],
    ])('by %s %s is refused, and Allow names the methods', async (method, path, allow) => {
      const answer = await exchange(
        api.url,
        `${method} ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nConnection: close\r\n\r\n`,
      );
      expect([answer.statuses, answer.headers.get('allow')]).toEqual([[405], allow]);
      expect(answer.text).not.toContain(key);
      if (method === 'HEAD') expect(answer.body).toBe('');
      else
        expect(readProblem(JSON.parse(answer.body), 405, answer.headers.get('x-request-id'))).toBe(
          '405 method_not_allowed',
        );
    });

    it.each([
      '/',
      '/v1',
      '/v2/usage',
      '/v1/nothing',
      '//example.com/v1/usage',
      '/v1/usage/x',
      '/docs/..%2f..%2f..%2fetc%2fpasswd',
      '/docs/%2e%2e/%2e%2e/package.json',
      '/docs/%00',
      '/.env',
      '/.git/config',
    ])('that do not exist is refused: %s', async (path) => {
      const answer = await exchange(api.url, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      expect(readProblem(JSON.parse(answer.body), 404, answer.headers.get('x-request-id'))).toBe(
        '404 not_found',
      );
    });

    it.each(['/v1/captures/%FF', '/docs/%FF'])(
      'whose path cannot be decoded names nothing: %s',
      async (path) => {
        expect(await refusalOf(client.get(path))).toBe('404 not_found');
      },
    );

    it('to a missing file of the reference is refused', async () => {
      expect(await refusalOf(client.get('/docs/swagger-ui.css', { range: 'bytes=99999999-' }))).toBe(
        '416 range_not_satisfiable',
      );
    });
  });

  describe('without a valid key', () => {
    const wrongCheck = (): string => `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`;

    it.each([
      ['none', () => ''],
      ['an empty one', () => 'X-API-Key: \r\n'],
      ['another scheme', () => `Authorization: Basic ${Buffer.from(key).toString('base64')}\r\n`],
      ['no scheme', () => `Authorization: ${key}\r\n`],
      ['a wrong checksum', () => `Authorization: Bearer ${wrongCheck()}\r\n`],
      ['a beginning of one', () => `X-API-Key: ${key.slice(0, 30)}\r\n`],
      ['one with more behind it', () => `X-API-Key: ${key}x\r\n`],
      ['the key of another service', () => 'Authorization: Bearer sk_live_4242424242424242\r\n'],
      ['10 kB', () => `Authorization: Bearer ${'c'.repeat(10_240)}\r\n`],
      ['other alphabets', () => 'Authorization: Bearer cap_\xe9\xff\x80\r\n'],
      ['SQL', () => "X-API-Key: cap_' OR 1=1--\r\n"],
      ['one in two headers', () => `X-API-Key: ${key}\r\nX-API-Key: ${key}\r\n`],
      ['one after a wrong one', () => `Authorization: Bearer x\r\nAuthorization: Bearer ${key}\r\n`],
    ])('is refused in the same words: %s', async (_, header) => {
      const answer = await exchange(
        api.url,
        Buffer.from(`GET /v1/usage HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${header()}\r\n`, 'latin1'),
      );
      expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="capture"');
      const { request_id: _id, ...problem } = JSON.parse(answer.body);
      expect(problem).toEqual({
        type: '/docs/errors#unauthorized',
        title: 'A valid API key is required',
        status: 401,
        detail: ERRORS.unauthorized.doc,
        code: 'unauthorized',
        retryable: false,
      });
    });

    it.each(['key', 'api_key', 'access_key', 'token', 'X-API-Key'])(
      'is refused with one in ?%s',
      async (name) => {
        const stranger = client.withKey(null);
        expect(await refusalOf(stranger.get(`/v1/usage?${name}=${key}`))).toBe('401 unauthorized');
      },
    );

    it('is refused once the key is revoked', async () => {
      const other = await api.client();
      await api.database.query(`UPDATE api_keys SET revoked_at = now() WHERE account_id = $1`, [
        other.accountId,
      ]);
      expect(await refusalOf(other.get('/v1/usage'))).toBe('401 unauthorized');
    });

    it('leaves no trace of the request', async () => {
      const before = await tracesIn(api);
      expect(await refusalOf(client.withKey(null).capture(PAGE))).toBe('401 unauthorized');
      expect(await tracesIn(api)).toEqual(before);
    });
  });

  describe('to captures', () => {
    let ids: string[];

    beforeAll(async () => {
      ids = [
        '../../etc/passwd',
        '\0',
        '1',
        "' OR 1=1--",
        newId().toUpperCase(),
        'x'.repeat(1_000),
        newId(),
        'stats%00',
      ];
    });

    it('by a malformed id or the id of another account is refused', async () => {
      const id = await captured('succeed');
      const stranger = await api.client();
      const details = new Set<unknown>();
      for (const each of [...ids, id]) {
        for (const path of ['captures/', 'jobs/']) {
          for (const end of ['', '/result']) {
            const at = `/v1/${path}${encodeURIComponent(each)}${end}`;
            expect([at, await refusalOf(stranger.get(at))]).toEqual([at, '404 not_found']);
            details.add((await json(stranger.get(at))).detail);
          }
        }
      }
      expect(details.size).toBe(1);
      expect((await client.get(`/v1/captures/${id}`)).status).toBe(200);
    });

    it('without a file says why there is none', async () => {
      const running = await captured('none');
      const failed = await captured('fail');
      const expired = await captured('succeed');
      await api.database.query(`UPDATE jobs SET expires_at = now() - interval '1 s' WHERE id = $1`, [
        expired,
      ]);
      const lost = await captured('succeed');
      await api.storage.delete(`captures/${lost}/1.png`);
      for (const [id, refusal] of [
        [running, '409 job_not_finished'],
        [failed, '422 target_dns_error'],
        [expired, '410 result_expired'],
        [lost, '410 result_expired'],
      ]) {
        for (const path of ['captures', 'jobs']) {
          expect(await refusalOf(client.get(`/v1/${path}/${id}/result`))).toBe(refusal);
        }
      }
    });

    it('past the allowance is refused, and leaves no trace', async () => {
      const poor = await api.client({ allowance: 0 });
      const before = await tracesIn(api);
      expect(await refusalOf(poor.capture(PAGE))).toBe('402 allowance_exhausted');
      expect(await tracesIn(api)).toEqual(before);
    });

    it.each(['wait=0', 'wait=121', 'wait=x', 'wait=', 'wait=-1', 'wait=1e1', 'wait=99999999999999999999'])(
      'with Prefer: %s is refused, and leaves no trace',
      async (prefer) => {
        const before = await tracesIn(api);
        expect(await refusalOf(client.capture(PAGE, { headers: { prefer } }))).toBe(
          '400 invalid_request Prefer',
        );
        expect(await tracesIn(api)).toEqual(before);
      },
    );
  });

  describe('to lists', () => {
    it.each([
      ['limit', ['0', '-1', '1e9', 'abc', '101', '1.5', '', ' 1', '0x10', '١']],
      ['cursor', ['', 'x', '%00', 'MTIz', 'x'.repeat(101), '../..', "' OR 1=1--"]],
      ['status', ['done', 'QUEUED', '']],
      ['source', ['web']],
      ['format', ['exe']],
      ['host', ['', '%00', 'x'.repeat(254)]],
      ['reference', ['', '%00', 'x'.repeat(201)]],
      ['batch_id', ['x', newId().toUpperCase()]],
      [
        'created_after',
        [
          'yesterday',
          '2026-02-31T00:00:00Z',
          '0000-01-01T00:00:00Z',
          '2026-02-31',
          '9999-12-31T23:59:59-14:00',
        ],
      ],
      ['created_before', ['2026-01-01T00:00:00', '0001-01-01T00:00:00%2B10:00', '%2B010000-01-01T00:00:00Z']],
      ['__proto__', ['1']],
      ['limit[]', ['1']],
      ['limt', ['5']],
    ])('with a bad %s is refused', async (name, values) => {
      for (const value of values) {
        const refusal = await refusalOf(client.get(`/v1/captures?${name}=${value}`));
        expect([value, refusal]).toEqual([value, `400 invalid_request /${name}`]);
      }
    });

    it('with a parameter twice is refused', async () => {
      expect(await refusalOf(client.get('/v1/captures?limit=1&limit=2'))).toBe('400 invalid_request /limit');
      expect(await refusalOf(client.get('/v1/captures?host=a&host=b'))).toBe('400 invalid_request /host');
    });

    it.each([
      '2026-01-01T00:00:00%2B23:59',
      '2026-01-01T24:00:00Z',
      '2026-01-01t00:00:00.123456789z',
      '0001-01-01T00:00:00Z',
    ])('accepts the time %s', async (time) => {
      expect((await client.get(`/v1/captures?created_after=${time}&created_before=${time}`)).status).toBe(
        200,
      );
    });

    it.each([
      ['from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z', '/from'],
      ['from=2020-01-01T00:00:00Z&to=2026-01-01T00:00:00Z', '/from'],
      ['from=0000-01-01T00:00:00Z', '/from'],
      ['bucket=year', '/bucket'],
      ['to=x', '/to'],
    ])('of statistics with %s is refused', async (query, pointer) => {
      expect(await refusalOf(client.get(`/v1/captures/stats?${query}`))).toBe(
        `400 invalid_request ${pointer}`,
      );
    });

    it.each(['0001-01-02T00:00:00Z', '9999-12-30T00:00:00Z'])(
      'of statistics up to %s is answered',
      async (to) => {
        const from = new Date(Date.parse(to) - 86_400_000).toISOString();
        expect((await client.get(`/v1/captures/stats?from=${from}&to=${to}`)).status).toBe(200);
      },
    );
  });
});
