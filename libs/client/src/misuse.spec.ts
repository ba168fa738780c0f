import { describe, expect, it, jest } from '@jest/globals';
import { CaptureClient, CaptureError, type CaptureClientOptions } from './index.js';

const BASE_URL = 'https://capture.example.com';
const PROBLEM = {
  type: 'x',
  title: 'x',
  status: 503,
  code: 'unavailable',
  detail: 'No.',
  retryable: true,
  request_id: 'r',
};

const failure = async (call: Promise<unknown>): Promise<CaptureError> => {
  const error: unknown = await call.catch((reason: unknown) => reason);
  if (error instanceof CaptureError) return error;
  throw new Error(`Not a CaptureError: ${String(error)}`);
};

/** A client of something that gives every request the same answer. */
const before = (status: number, body: unknown, headers: Record<string, string> = {}) => {
  const sent = jest.fn<typeof fetch>(async () => Response.json(body, { status, headers }));
  return { sent, client: new CaptureClient({ baseUrl: BASE_URL, fetch: sent, retries: 0 }) };
};

describe('a client that is used wrongly', () => {
  it.each<[Partial<CaptureClientOptions>, RegExp]>([
    [{ timeoutMs: 0 }, /timeoutMs must be/],
    [{ timeoutMs: NaN }, /timeoutMs must be/],
    [{ retries: NaN }, /retries must be/],
    [{ retries: -1 }, /retries must be/],
    [{ signing: { keyId: 'key', secret: '' } }, /signing\.secret must/],
    [{ signing: { keyId: '', secret: 'cls_x' } }, /signing\.keyId must/],
  ])('is not made with %j', (settings, text) => {
    expect(() => new CaptureClient({ baseUrl: BASE_URL, ...settings })).toThrow(text);
  });

  it.each([
    [{ timeoutMs: 0 }, /timeoutMs must be/],
    [{ retries: NaN }, /retries must be/],
    [{ idempotencyKey: 'a\nb' }, /idempotencyKey must/],
  ])('sends no call with %j', async (call, text) => {
    const { client, sent } = before(200, {});
    expect(await failure(client.jobs.create({ url: BASE_URL }, call))).toMatchObject({
      code: 'invalid_options',
      message: expect.stringMatching(text),
    });
    expect(sent).not.toHaveBeenCalled();
  });

  it.each(['', '.', '..', undefined])('sends no request whose path has the id %j', async (id) => {
    const { client, sent } = before(200, { items: [] });
    const wrong = id as string;
    const calls = [client.captures.get(wrong), client.jobs.cancel(wrong), client.bulk.files(wrong)];
    for (const call of calls) expect((await failure(call)).code).toBe('invalid_options');
    expect(sent).not.toHaveBeenCalled();
  });

  it.each([{ expiresInS: NaN }, { expiresInS: 0.5 }, { expiresInS: 0 }, { expiresAt: new Date('x') }, {}])(
    'signs no link that lives for %j',
    async (life) => {
      const client = new CaptureClient({ baseUrl: BASE_URL, signing: { keyId: 'key', secret: 'cls_x' } });
      const signing = client.links.sign({ url: BASE_URL }, life as { expiresInS: number });
      expect((await failure(signing)).message).toMatch(/expires/);
    },
  );

  it('keeps no timer for a wait that is aborted before it begins', async () => {
    jest.useFakeTimers();
    try {
      const { client } = before(200, {});
      const reason = new Error('enough');
      const call = { signal: AbortSignal.abort(reason) };
      await expect(client.jobs.wait('id', { timeoutMs: 60_000 }, call)).rejects.toBe(reason);
      expect(jest.getTimerCount()).toBe(0);
    } finally {
      jest.useRealTimers();
    }
  });
});

describe('an answer', () => {
  it('is the health of a service that is down', async () => {
    const health = { status: 'down', checks: {} };
    expect(await before(503, health).client.health()).toEqual(health);
  });

  it.each([
    [PROBLEM, { 'content-type': 'application/problem+json' }, 'unavailable'],
    ['maintenance', { 'content-type': 'text/html' }, 'connection_failed'],
  ])('is no health when it is %j', async (body, headers, code) => {
    expect(await failure(before(503, body, headers).client.health())).toMatchObject({
      code,
      retryable: true,
    });
  });

  it.each([
    { code: 'BAD_GATEWAY', message: 'x' },
    { ...PROBLEM, errors: { a: 1 } },
  ])('of a proxy is no problem of the service: %j', async (body) => {
    expect((await failure(before(502, body).client.usage())).code).toBe('connection_failed');
  });

  it.each([null, 'yes'])('is not the JSON %j', async (body) => {
    expect((await failure(before(200, body).client.usage())).code).toBe('invalid_response');
  });

  it.each([
    ['Sun, 22 Nov 2015 10:00:00 GMT', 30_000],
    [new Date(Date.now() + 3_600_000).toUTCString(), 30_000],
  ])('of a machine whose clock shows %s is waited for as long as it says', async (date, expected) => {
    const retryAfter = new Date(Date.parse(date) + 30_000).toUTCString();
    const { client } = before(503, PROBLEM, { date, 'retry-after': retryAfter });
    expect((await failure(client.usage())).retryAfterMs).toBe(expected);
  });
});
