import { getEventListeners } from 'node:events';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AppError } from '@app/kernel';
import { startApi, type TestApi } from '../../../test/support/api.js';
import { eventually } from '../../../test/support/eventually.js';
import { freePort } from '../../../test/support/free-port.js';
import { ScriptedProxy } from '../../../test/support/scripted-proxy.js';
import { CaptureClient, CaptureError, type CaptureClientOptions } from './index.js';

const PAGE = { url: 'https://example.com/page' };
const UNAVAILABLE = { status: 503, headers: { 'retry-after': '0' }, body: '<h1>maintenance</h1>' };
const PROBLEM = { 'content-type': 'application/problem+json' };

const problem = (status: number, code: string, headers: Record<string, string> = {}) => ({
  status,
  headers: { ...PROBLEM, ...headers },
  body: JSON.stringify({
    type: 'x',
    title: 'x',
    detail: 'No.',
    code,
    retryable: true,
    status,
    request_id: 'r',
  }),
});

describe('a call that fails', () => {
  let api: TestApi;
  let proxy: ScriptedProxy;

  beforeAll(async () => {
    api = await startApi();
    proxy = await ScriptedProxy.before(api.url);
  });

  afterAll(async () => {
    await proxy.close();
    await api.close();
  });

  beforeEach(() => {
    proxy.script();
  });

  const open = async (settings: Partial<CaptureClientOptions> = {}, limits = {}) => {
    const { accountId, apiKey } = await api.client(limits);
    const client = new CaptureClient({ baseUrl: proxy.url, key: apiKey, ...settings });
    const captures = async () =>
      (await api.database.query(`SELECT id FROM jobs WHERE account_id = $1`, [accountId])).rows.length;
    return { accountId, apiKey, client, captures };
  };
  /** The service repeats a capture that fails with a transient error by itself; it fails when its three attempts are over. */
  const failAllAttempts = async (accountId: string): Promise<string> => {
    let id = '';
    for (let attempt = 1; attempt <= 3; attempt++) {
      const claimed = await api.claim({ accountId });
      await claimed.fail(new AppError('target_connection_failed', { phase: 'navigate' }));
      id = claimed.id;
    }
    return id;
  };
  const keys = () => proxy.requests.map(({ headers }) => headers['idempotency-key']);
  const failure = async (call: Promise<unknown>): Promise<CaptureError> => {
    const error = await call.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (error instanceof CaptureError) return error;
    throw new Error(`Not a CaptureError: ${String(error)}`);
  };

  describe('is repeated', () => {
    it.each(['drop', UNAVAILABLE, problem(429, 'rate_limited', { 'retry-after': '0' })] as const)(
      'after %j',
      async (fate) => {
        const { client } = await open();
        proxy.script(fate, fate);
        expect((await client.usage()).used).toBe(0);
        expect(proxy.requests).toHaveLength(3);
      },
    );

    it('when its JSON is cut in the middle', async () => {
      const { client } = await open();
      proxy.script('cut');
      expect(await client.version()).toHaveProperty('api_version', 'v1');
      expect(proxy.requests).toHaveLength(2);
    });

    it('after nothing has arrived in time', async () => {
      const { client } = await open({ timeoutMs: 300 });
      proxy.script('hang');
      expect(await client.version()).toHaveProperty('api_version', 'v1');
    });

    it('after the time that the service asks for', async () => {
      const { client } = await open({}, { rate: 60, burst: 1 });
      await client.usage();
      const before = Date.now();
      expect(await client.usage()).toHaveProperty('total');
      expect(proxy.requests).toHaveLength(3);
      expect(Date.now() - before).toBeGreaterThan(500);
    });

    it('as often as it says, and no more', async () => {
      const { client } = await open({ retries: 1 });
      proxy.script('drop', 'drop', 'drop');
      expect(await failure(client.usage())).toMatchObject({ code: 'connection_failed', retryable: true });
      expect(proxy.requests).toHaveLength(2);
      proxy.script('drop');
      await failure(client.usage({ retries: 0 }));
      expect(proxy.requests).toHaveLength(1);
    });

    it('not when the service asks for more than a minute', async () => {
      const { client } = await open();
      proxy.script(problem(503, 'unavailable', { 'retry-after': '3600' }));
      expect(await failure(client.usage())).toMatchObject({ code: 'unavailable', retryAfterMs: 3_600_000 });
      expect(proxy.requests).toHaveLength(1);
    });

    it('not when it can only fail again', async () => {
      const { client } = await open();
      await failure(client.jobs.create({ url: 'ftp://example.com' }));
      await failure(client.jobs.get('unknown'));
      const job = await client.jobs.create(PAGE);
      expect(await failure(client.jobs.result(job.id))).toMatchObject({ code: 'job_not_finished' });
      expect(proxy.requests).toHaveLength(4);
    });
  });

  describe('with a POST', () => {
    it('submits a job once when the answer is lost', async () => {
      const { client, captures } = await open();
      proxy.script('lose', 'cut');
      const job = await client.jobs.create(PAGE);
      expect(await captures()).toBe(1);
      expect(new Set(keys()).size).toBe(1);
      expect(await client.jobs.get(job.id)).toHaveProperty('id', job.id);
      expect((await client.usage()).used).toBe(1);
    });

    it('submits a batch once when the answer is lost', async () => {
      const { client } = await open();
      proxy.script('lose');
      await client.bulk.fromCsv('url\nhttps://example.com/\nhttps://example.com/b\n');
      expect((await client.usage()).used).toBe(2);
    });

    it.each(['lose', 'cut'] as const)('captures and charges once when the answer is a %s', async (fate) => {
      const { client, accountId, captures } = await open();
      proxy.script(fate);
      const captured = client.capture(PAGE);
      const { id, succeed } = await api.claim({ accountId });
      await succeed(Buffer.from('these bytes'));
      const file = await captured;
      expect([file.captureId, Buffer.from(file.bytes).toString()]).toEqual([id, 'these bytes']);
      expect(proxy.requests).toHaveLength(2);
      expect(await captures()).toBe(1);
      expect((await client.usage()).used).toBe(1);
    });

    it('charges once when the connection is lost while the capture runs', async () => {
      const { client, accountId } = await open();
      const captured = client.capture(PAGE, { timeoutMs: 500 });
      const first = await api.claim({ accountId });
      await eventually('the client has given up, and the service has noticed', async () => {
        const { rows } = await api.database.query(`SELECT status FROM jobs WHERE id = $1`, [first.id]);
        return rows[0]?.status === 'canceled';
      });
      await (await api.claim({ accountId })).succeed(Buffer.from('second'));
      expect(Buffer.from((await captured).bytes).toString()).toBe('second');
      expect(new Set(keys()).size).toBe(1);
      expect((await client.usage()).used).toBe(1);
    });

    it('deletes a record although the first answer is lost', async () => {
      const { client, accountId } = await open();
      const { id } = await client.jobs.create(PAGE);
      await (await api.claim({ accountId })).succeed();
      proxy.script('lose');
      await client.captures.delete(id, { record: true });
      expect(proxy.requests).toHaveLength(2);
      expect(await failure(client.captures.get(id))).toMatchObject({ code: 'not_found' });
    });

    it('waits for the first request when it is still executed', async () => {
      const { client, accountId, captures } = await open({ timeoutMs: 2_000 });
      const idempotencyKey = `mine-${accountId}`;
      // The first request keeps its connection to the service, and the client loses its own.
      const first = client.capture(PAGE, { idempotencyKey, timeoutMs: 20_000 });
      const { succeed } = await api.claim({ accountId });
      const again = client.capture(PAGE, { idempotencyKey, timeoutMs: 20_000 });
      await eventually('the second has an answer', () => proxy.requests.length >= 3);
      await succeed(Buffer.from('these bytes'));
      expect((await again).captureId).toBe((await first).captureId);
      expect(await captures()).toBe(1);
    });

    it('takes a new key for a capture that ran and failed', async () => {
      const { client, accountId, captures } = await open();
      const told: string[] = [];
      const captured = client.capture(PAGE, { onIdempotencyKey: (key) => told.push(key) });
      await failAllAttempts(accountId);
      const second = await api.claim({ accountId });
      const { items } = await client.captures.page({ idempotency_key: told.at(-1) ?? '' });
      expect(items).toMatchObject([{ id: second.id, status: 'running' }]);
      await second.succeed(Buffer.from('second'));
      expect(Buffer.from((await captured).bytes).toString()).toBe('second');
      expect([await captures(), new Set(told).size]).toEqual([2, 2]);
      expect(told).toEqual(keys().filter((key) => key !== undefined));
    });

    it('leaves the key of the caller alone: the service would repeat the failure', async () => {
      const { client, accountId } = await open();
      const captured = failure(client.capture(PAGE, { idempotencyKey: `own-${accountId}` }));
      const id = await failAllAttempts(accountId);
      expect(await captured).toMatchObject({ code: 'target_connection_failed', captureId: id, status: 422 });
      expect(keys()).toEqual([`own-${accountId}`]);
    });
  });

  describe('says why', () => {
    it('when the key is wrong, the allowance is used up, or the options are', async () => {
      const { apiKey } = await open();
      const wrong = new CaptureClient({ baseUrl: proxy.url, key: `${apiKey.slice(0, -4)}0000` });
      expect(await failure(wrong.usage())).toMatchObject({
        code: 'unauthorized',
        status: 401,
        retryable: false,
      });
      const { client } = await open({}, { allowance: 0 });
      expect(await failure(client.capture(PAGE))).toMatchObject({ code: 'allowance_exhausted', status: 402 });
      const error = await failure(
        client.bulk.fromRows([{ ...PAGE, quality: 500 }, { url: 'nowhere' }], {
          defaults: { format: 'jpeg' },
        }),
      );
      expect(error).toMatchObject({ code: 'invalid_request', status: 400 });
      expect(error.errors).toMatchObject([
        { row: 1, column: 'quality' },
        { row: 2, column: 'url' },
      ]);
      expect(error.message).toMatch(/row 1: quality .*; row 2: url /);
      expect(error.requestId).toMatch(/\S/);
    });

    it('when a capture failed', async () => {
      const { client, accountId } = await open();
      const captured = failure(client.capture(PAGE));
      const { id, fail } = await api.claim({ accountId });
      await fail(new AppError('target_dns_error', { phase: 'navigate' }));
      expect(await captured).toMatchObject({
        code: 'target_dns_error',
        captureId: id,
        problem: { phase: 'navigate' },
      });
    });

    it('when the service is away', async () => {
      const client = new CaptureClient({ baseUrl: `http://127.0.0.1:${await freePort()}`, retries: 0 });
      const error = await failure(client.version());
      expect(error).toMatchObject({ code: 'connection_failed', retryable: true, status: undefined });
      expect(error.message).toMatch(/^The connection to 127\.0\.0\.1:\d+ failed: .*ECONNREFUSED/);
    });

    it.each([
      [
        { status: 200, headers: { 'content-type': 'text/html' }, body: '<p>Log in' },
        'invalid_response',
        /text\/html/,
      ],
      [
        { status: 200, headers: { 'content-type': 'application/json' }, body: '{"a":' },
        'invalid_response',
        /not valid JSON/,
      ],
      [
        { status: 404, headers: { 'content-type': 'text/html' }, body: 'none' },
        'invalid_response',
        /baseUrl/,
      ],
      [
        { status: 401, headers: { 'content-type': 'application/json' }, body: '{"error":"x"}' },
        'invalid_response',
        /401/,
      ],
      [
        { status: 502, headers: { 'content-type': 'text/html' }, body: 'bad' },
        'connection_failed',
        /proxy cannot reach/,
      ],
      [
        { status: 301, headers: { location: 'https://elsewhere.test/' }, body: '' },
        'invalid_response',
        /redirects to https:\/\/elsewhere\.test\//,
      ],
    ] as const)('when something else answers: %j', async (fate, code, text) => {
      const { client } = await open({ retries: 0 });
      proxy.script(fate, fate);
      const error = await failure(client.usage());
      expect(error).toMatchObject({ code, message: expect.stringMatching(text) });
      expect((await failure(client.capture(PAGE))).code).toBe(code);
    });

    it('with a code that this version does not know', async () => {
      const { client } = await open();
      proxy.script(problem(418, 'teapot'));
      expect((await failure(client.usage({ retries: 0 }))).code).toBe('teapot');
    });
  });

  describe('is aborted', () => {
    const reason = new Error('enough');

    it('while it waits for an answer, and the capture is canceled and not charged', async () => {
      const { client, accountId } = await open();
      const abort = new AbortController();
      const captured = client.capture(PAGE, { signal: abort.signal });
      await api.claim({ accountId });
      abort.abort(reason);
      await expect(captured).rejects.toBe(reason);
      await eventually('nothing is charged', async () => (await client.usage()).used === 0);
    });

    it('while it pauses before the next attempt', async () => {
      const { client } = await open();
      const abort = new AbortController();
      proxy.script(problem(503, 'unavailable', { 'retry-after': '50' }));
      const call = client.usage({ signal: abort.signal });
      await eventually('it was refused', () => proxy.requests.length === 1);
      abort.abort(reason);
      await expect(call).rejects.toBe(reason);
    });

    it('before it begins', async () => {
      const { client } = await open();
      await expect(client.usage({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
      expect(proxy.requests).toHaveLength(0);
    });

    it('together with all calls of its signal, which has one listener: Node warns of eleven', async () => {
      const { client } = await open();
      const abort = new AbortController();
      proxy.script(...Array<'hang'>(20).fill('hang'));
      const calls = Array.from({ length: 20 }, () => client.usage({ signal: abort.signal }));
      await eventually('all wait', () => proxy.requests.length === 20);
      expect(getEventListeners(abort.signal, 'abort')).toHaveLength(1);
      abort.abort(reason);
      for (const result of await Promise.allSettled(calls)) expect(result).toHaveProperty('reason', reason);
    });

    it('by a time limit, of which Infinity is none', async () => {
      const { client } = await open({ retries: 0 });
      expect(await client.usage({ timeoutMs: Infinity })).toHaveProperty('total');
      proxy.script('hang');
      expect(await failure(client.usage({ timeoutMs: 200 }))).toMatchObject({
        code: 'timeout',
        retryable: true,
      });
    });
  });

  it('goes through the fetch of the settings', async () => {
    const sent: string[] = [];
    const ownFetch: typeof fetch = (url, init) => {
      sent.push(`${init?.method} ${url as string}`);
      return fetch(url, init);
    };
    const { client } = await open({ fetch: ownFetch });
    await client.usage();
    expect(sent).toEqual([`GET ${proxy.url}/v1/usage`]);
  });

  it('sends the key, and its name and version', async () => {
    const { client, apiKey } = await open({ userAgent: 'shop/2.1' });
    await client.usage();
    expect(proxy.requests[0]?.headers).toMatchObject({
      authorization: `Bearer ${apiKey}`,
      'user-agent': expect.stringMatching(/^shop\/2\.1 capture-service-client\/\d/),
    });
  });

  it.each([
    [{ baseUrl: 'capture.example.com' }, /baseUrl must be/],
    [{ baseUrl: 'ftp://capture.example.com' }, /baseUrl must be/],
    [{ baseUrl: 'https://capture.example.com', key: 'cap_a\nb' }, /key must consist/],
  ])('is not sent with settings that cannot work: %j', (settings, text) => {
    expect(() => new CaptureClient(settings)).toThrow(text);
  });
});
