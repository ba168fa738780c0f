import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ApiKeysService } from '@app/auth';
import { newId } from '@app/kernel';
import { startApi, type TestApi } from '../../../../test/support/api.js';
import { json, type Client } from '../../../../test/support/client.js';
import { eventually } from '../../../../test/support/eventually.js';
import { FaultProxy } from '../../../../test/support/fault-proxy.js';
import { createRedis, testRedisUrl } from '../../../../test/support/backends.js';

const POLICY = 'ratelimit-policy';
const CURRENT = 'ratelimit';

describe('the rate of an account', () => {
  let api: TestApi;

  beforeAll(async () => {
    api = await startApi();
  });

  afterAll(async () => {
    await api.close();
  });

  const anotherKey = async (client: Client & { accountId: string }): Promise<Client> => {
    const keys = api.app.get(ApiKeysService, { strict: false });
    return client.withKey((await keys.create(client.accountId, 'another')).key);
  };
  const advanceMs = (accountId: string, ms: number) =>
    api.database.query(`UPDATE rate_buckets SET at_ms = at_ms - $2 WHERE account_id = $1`, [accountId, ms]);

  /** Waits until the first request of a client with 100 at once counts as so many more. */
  const requestsCounted = (client: Client, more: number): Promise<void> => {
    let asked = 1;
    return eventually('they are counted', async () => {
      const current = (await client.get('/v1/usage')).headers.get(CURRENT) ?? '';
      // Each of these requests counts, too.
      asked++;
      return Number(/r=(\d+)/.exec(current)?.[1]) <= 100 - asked - more;
    });
  };

  it('is part of every response to a valid key, errors included', async () => {
    const client = await api.client({ rate: 6, burst: 12 });
    const devices = await client.get('/v1/devices');
    const answers = [
      devices,
      await client.get('/v1/devices', { 'if-none-match': devices.headers.get('etag') ?? '' }),
      await client.send('HEAD', '/v1/usage'),
      await client.get(`/v1/captures/${newId()}`),
      await client.get('/v1/captures?limit=x'),
      await client.capture({ url: 'nowhere' }),
      await client.send('POST', '/v1/capture', { body: 'x', headers: { 'content-type': 'text/plain' } }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 304, 200, 404, 400, 400, 415]);
    expect(answers.map(({ headers }) => headers.get(POLICY))).toEqual(
      answers.map(() => '"default";q=12;w=120'),
    );
    expect(answers.map(({ headers }) => headers.get(CURRENT))).toEqual(
      answers.map((_, i) => `"default";r=${11 - i};t=${(11 - i) * 10}`),
    );
  });

  it('is shared by all keys of the account', async () => {
    const client = await api.client({ rate: 1, burst: 4 });
    const other = await anotherKey(client);
    const answers = [];
    for (const each of [client, other, client, other, client, other])
      answers.push(await each.get('/v1/usage'));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 429, 429]);
    expect((await (await api.client({ rate: 1, burst: 1 })).get('/v1/usage')).status).toBe(200);
  });

  it('refuses a request beyond it, and accepts it after Retry-After', async () => {
    const client = await api.client({ rate: 2, burst: 1 });
    await client.get('/v1/usage');
    const refused = await client.capture({ url: 'https://example.com/' });
    expect(refused.status).toBe(429);
    expect(refused.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    expect(refused.headers.get(CURRENT)).toBe('"default";r=0;t=30');
    expect(await json(refused)).toMatchObject({
      code: 'rate_limited',
      retryable: true,
      status: 429,
      detail: 'The account may make 2 requests a minute, 1 of them at once.',
    });
    const retryAfterS = Number(refused.headers.get('retry-after'));
    expect(retryAfterS).toBe(30);
    await advanceMs(client.accountId, (retryAfterS - 10) * 1_000);
    expect((await client.get('/v1/usage')).status).toBe(429);
    await advanceMs(client.accountId, 10_000);
    expect((await client.get('/v1/usage')).status).toBe(200);
    const { rows } = await api.database.query(`SELECT FROM jobs WHERE account_id = $1`, [client.accountId]);
    expect(rows).toEqual([]);
  });

  it('counts each further 256 kB of a body as a request, after decompression, whether the body is accepted or not', async () => {
    const client = await api.client({ rate: 1, burst: 10 });
    const html = { html: 'x'.repeat(1_000_000), url: 'both' };
    const body = gzipSync(JSON.stringify(html));
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    const send = () => client.send('POST', '/v1/jobs', { body, headers });
    const startedAt = performance.now();
    const [first, second, third] = [await send(), await send(), await send()];
    expect([first, second, third].map(({ status }) => status)).toEqual([400, 400, 429]);
    expect(first.headers.get(CURRENT)).toBe('"default";r=6;t=360');
    expect(second.headers.get(CURRENT)).toBe('"default";r=2;t=120');
    // The bucket refills while a busy machine sends the three.
    const retryAfterS = Number(third.headers.get('retry-after'));
    const elapsedS = Math.ceil((performance.now() - startedAt) / 1_000);
    expect(retryAfterS).toBeGreaterThanOrEqual(240 - elapsedS);
    expect(retryAfterS).toBeLessThanOrEqual(240);
    expect(await json(third)).toMatchObject({
      code: 'rate_limited',
      detail: expect.stringMatching(/^A body of 10000\d\d bytes counts as 4 requests/),
    });
    await advanceMs(client.accountId, retryAfterS * 1_000);
    expect((await send()).status).toBe(400);
  });

  it.each([
    ['a batch that is refused', '', 'nowhere', 400],
    ['a dry run', '?dry_run=true', 'https://example.com/last', 200],
  ])('counts 250 rows of %s as a request', async (_name, query, last, status) => {
    const client = await api.client({ rate: 1, burst: 100 });
    const items = Array.from({ length: 750 }, (_, i) => ({ url: i < 749 ? 'https://example.com/' : last }));
    expect((await client.post(`/v1/bulk/json${query}`, { items })).status).toBe(status);
    await requestsCounted(client, 3);
  });

  it('counts no row of a batch that is accepted', async () => {
    const client = await api.client({ rate: 1, burst: 10 });
    const items = Array.from({ length: 750 }, () => ({ url: 'https://example.com/' }));
    expect((await client.post('/v1/bulk/json', { items })).status).toBe(202);
    expect((await client.get('/v1/usage')).headers.get(CURRENT)).toBe('"default";r=8;t=480');
  });

  it('lets an account send any body that is valid, however few requests it may make', async () => {
    const client = await api.client({ rate: 1, burst: 1 });
    const options = { html: 'x'.repeat(1_000_000), base_url: 'https://example.com/' };
    expect((await client.submit(options)).status).toBe(202);
  });

  it('counts what was read of a body that is refused for its size', async () => {
    const client = await api.client({ rate: 1, burst: 100 });
    const spaces = gzipSync(' '.repeat(8_000_000));
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    expect((await client.send('POST', '/v1/jobs', { body: spaces, headers })).status).toBe(413);
    await requestsCounted(client, 8);
  });

  it('is neither used nor shown by public routes', async () => {
    const client = await api.client({ rate: 1, burst: 1 });
    for (const path of ['/v1/health', '/v1/version', '/livez', '/readyz', '/docs/errors']) {
      const answer = await client.get(path);
      expect([path, answer.status, answer.headers.get(CURRENT)]).toEqual([path, 200, null]);
    }
    expect((await client.get('/v1/usage')).status).toBe(200);
    expect((await client.get('/v1/usage')).status).toBe(429);
  });

  it('is not shown without a valid key', async () => {
    const answer = await (await api.client()).withKey(null).get('/v1/usage');
    expect([answer.status, answer.headers.get(CURRENT), answer.headers.get(POLICY)]).toEqual([
      401,
      null,
      null,
    ]);
  });

  it('is exact for concurrent requests', async () => {
    const client = await api.client({ rate: 1, burst: 60 });
    const answers = await Promise.all(Array.from({ length: 200 }, () => client.get('/v1/usage')));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(60);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(140);
  });
});

const withRedis = testRedisUrl === undefined ? describe.skip : describe;

withRedis('the rate of an account during an outage of Redis', () => {
  it('delays no request', async () => {
    const redis = await createRedis(testRedisUrl ?? '');
    const proxy = await FaultProxy.before(redis);
    const api = await startApi({ REDIS_URL: proxy.proxied(redis) });
    try {
      const client = await api.client({ rate: 1, burst: 3 });
      expect((await client.get('/v1/usage')).headers.get(CURRENT)).toBe('"default";r=2;t=120');
      await proxy.set('refuse');
      const answers = [];
      for (let i = 0; i < 4; i++) answers.push(await client.get('/v1/usage'));
      // The process counts by itself, starting from a full bucket.
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
      expect(answers[0]?.headers.get(CURRENT)).toBe('"default";r=2;t=120');
    } finally {
      await proxy.set('pass');
      await api.close();
      await proxy.close();
    }
  });
});

describe('an address that presents invalid keys', () => {
  let api: TestApi;
  let client: Client & { readonly accountId: string };
  const wrongKey = 'cap_wrong';

  const start = async (settings: Record<string, string> = {}): Promise<void> => {
    api = await startApi({ AUTH_FAILURES_PER_MINUTE: '2', ...settings });
    client = await api.client();
  };

  afterEach(async () => {
    await api.close();
  });

  const fail = (times: number, headers: Record<string, string> = {}): Promise<Response[]> =>
    Promise.all(
      Array.from({ length: times }, () =>
        client.withKey(null).get('/v1/usage', { 'x-api-key': wrongKey, ...headers }),
      ),
    );
  const statuses = (answers: readonly Response[]): number[] => answers.map(({ status }) => status).sort();
  const times = (count: number, status: number): number[] => Array.from({ length: count }, () => status);

  describe('without proxies', () => {
    beforeEach(() => start());

    it('is throttled, with the same response whatever was wrong', async () => {
      expect(statuses(await fail(7))).toEqual([...times(2, 401), ...times(5, 429)]);
      for (const headers of [{}, { 'x-api-key': `cap_${'A'.repeat(16)}_${'B'.repeat(38)}` }]) {
        const answer = await client.withKey(null).get('/v1/usage', headers as Record<string, string>);
        expect(answer.status).toBe(429);
        expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
        expect(Number(answer.headers.get('retry-after'))).toBeLessThanOrEqual(30);
        expect(await json(answer)).toMatchObject({
          code: 'rate_limited',
          retryable: true,
          detail: 'Too many requests without a valid key came from this address.',
        });
      }
    });

    it('does not block other clients behind it, whether their key was seen before or not', async () => {
      expect((await client.get('/v1/usage')).status).toBe(200);
      const newcomer = await api.client();
      await fail(10);
      expect((await client.get('/v1/usage')).status).toBe(200);
      expect((await newcomer.get('/v1/usage')).status).toBe(200);
      await fail(5);
      expect((await newcomer.get('/v1/usage')).status).toBe(200);
    });

    it('cannot be changed by X-Forwarded-For', async () => {
      for (let i = 0; i < 2; i++) await fail(1, { 'x-forwarded-for': `203.0.113.${i}` });
      expect(statuses(await fail(1, { 'x-forwarded-for': '203.0.113.99' }))).toEqual([429]);
    });
  });

  describe('behind a proxy that the operator trusts', () => {
    beforeEach(() => start({ TRUSTED_PROXIES: '1' }));

    it('is the one that the proxy reports', async () => {
      const from = (address: string) => fail(2, { 'x-forwarded-for': address });
      await from('203.0.113.1');
      expect(statuses(await fail(1, { 'x-forwarded-for': '203.0.113.1' }))).toEqual([429]);
      expect(statuses(await fail(1, { 'x-forwarded-for': '203.0.113.2' }))).toEqual([401]);
      // Entries of the client itself come further left.
      expect(statuses(await fail(1, { 'x-forwarded-for': '198.51.100.7, 203.0.113.1' }))).toEqual([429]);
    });

    it('counts as one with all addresses of its IPv6 /64', async () => {
      await fail(2, { 'x-forwarded-for': '2001:db8:1:2::1' });
      expect(statuses(await fail(1, { 'x-forwarded-for': '2001:db8:1:2:ffff::9' }))).toEqual([429]);
      expect(statuses(await fail(1, { 'x-forwarded-for': '2001:db8:1:3::1' }))).toEqual([401]);
    });
  });
});
