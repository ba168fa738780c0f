import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AppError } from '@app/kernel';
import { startApi, type TestApi } from '../../../../test/support/api.js';
import { json, type Client, type Json, statusAndCode } from '../../../../test/support/client.js';
import { eventually } from '../../../../test/support/eventually.js';

const PAGE = { url: 'https://example.com/page' };

describe('an Idempotency-Key', () => {
  let api: TestApi;
  let client: Client & { readonly accountId: string };
  let keys = 0;

  beforeAll(async () => {
    api = await startApi();
    client = await api.client();
  });

  afterAll(async () => {
    await api.close();
  });

  const newKey = (): Record<string, string> => ({ 'idempotency-key': `key-${++keys}` });
  const answerOf = async (sent: Promise<Response>) => {
    const response = await sent;
    const { status, headers } = response;
    return { status, location: headers.get('location'), body: await response.text(), headers };
  };
  const used = async (owner: Client = client) => (await json(owner.get('/v1/usage'))).used;

  describe('of POST /v1/jobs', () => {
    it('repeats the first response, whatever the state of the job', async () => {
      const owner = await api.client();
      const key = newKey();
      await owner.submit(PAGE);
      const body = { ...PAGE, webhook_url: 'https://example.com/hook' };
      const first = await answerOf(owner.submit(body, key));
      await owner.send('DELETE', first.location ?? '');
      const again = await answerOf(owner.submit(body, key));
      expect(again).toMatchObject({ status: 202, location: first.location, body: first.body });
      expect(first.headers.get('idempotency-replayed')).toBeNull();
      expect(again.headers.get('idempotency-replayed')).toBe('true');
      expect(JSON.parse(again.body)).toMatchObject({ queue_position: 2, webhook: { state: 'waiting' } });
    });

    it('ignores order and white space of the body, and the quotes of the key', async () => {
      const send = (key: string, body: string) =>
        answerOf(
          client.send('POST', '/v1/jobs', {
            headers: { 'content-type': 'application/json', 'idempotency-key': key },
            body,
          }),
        );
      const first = await send(
        'spelling',
        '{"url":"https://example.com/","format":"png","headers":{"a":"1","b":"2"}}',
      );
      const again = await send(
        '"spelling"',
        ' { "headers": {"b":"2", "a":"1"},\n "format":"png", "url":"https://example.com/" }',
      );
      expect([first.status, again.body]).toEqual([202, first.body]);
    });

    it('is refused with another body, even if it only sets a default', async () => {
      const key = newKey();
      await client.submit(PAGE, key);
      for (const other of [{ ...PAGE, format: 'png' }, { url: 'https://example.com/other' }]) {
        expect(await statusAndCode(client.submit(other, key))).toEqual([422, 'idempotency_mismatch']);
      }
      expect(await statusAndCode(client.capture(PAGE, { headers: key }))).toEqual([
        422,
        'idempotency_mismatch',
      ]);
    });

    it('is not kept for a refused request', async () => {
      const poor = await api.client({ allowance: 0 });
      const key = newKey();
      expect(await statusAndCode(poor.submit({ ...PAGE, format: 'gif' }, key))).toEqual([
        400,
        'invalid_request',
      ]);
      expect(await statusAndCode(poor.submit({ url: 'http://10.0.0.1/' }, key))).toEqual([
        403,
        'target_forbidden',
      ]);
      expect(await statusAndCode(poor.submit(PAGE, key))).toEqual([402, 'allowance_exhausted']);
      await api.database.query(`UPDATE accounts SET allowance = 1 WHERE id = $1`, [poor.accountId]);
      const accepted = await answerOf(poor.submit({ ...PAGE, format: 'pdf' }, key));
      expect([accepted.status, accepted.headers.get('idempotency-replayed')]).toEqual([202, null]);
    });
  });

  describe('of POST /v1/capture', () => {
    const capture = (owner: Client, key: Record<string, string>, more: Json = {}, headers = {}) =>
      owner.capture({ ...PAGE, ...more }, { headers: { ...key, ...headers } });

    it('repeats the file, and charges once', async () => {
      const owner = await api.client();
      const key = newKey();
      const first = capture(owner, key);
      await (await api.claim(owner)).succeed(Buffer.from('these bytes'));
      const again = await answerOf(capture(owner, key));
      expect(again).toMatchObject({ status: 200, body: 'these bytes' });
      expect((await first).headers.get('x-capture-id')).toBe(again.headers.get('x-capture-id'));
      expect(again.headers.get('idempotency-replayed')).toBe('true');
      expect(await used(owner)).toBe(1);
    });

    it('repeats the record', async () => {
      const owner = await api.client();
      const key = newKey();
      const first = answerOf(capture(owner, key, { response: 'json' }));
      await (await api.claim(owner)).succeed();
      expect((await answerOf(capture(owner, key, { response: 'json' }))).body).toBe((await first).body);
    });

    it('repeats the error of the capture', async () => {
      const owner = await api.client();
      const key = newKey();
      const first = capture(owner, key);
      await (await api.claim(owner)).fail(new AppError('target_dns_error', { phase: 'navigate' }));
      expect(await statusAndCode(await first)).toEqual([422, 'target_dns_error']);
      const again = await capture(owner, key);
      expect(again.headers.get('idempotency-replayed')).toBe('true');
      expect(await statusAndCode(again)).toEqual([422, 'target_dns_error']);
    });

    it('responds that the capture is in progress, and when to retry', async () => {
      const owner = await api.client();
      const key = newKey();
      const first = capture(owner, key, {}, { prefer: 'wait=1' });
      const { succeed } = await api.claim(owner);
      const twin = await capture(owner, key);
      expect(twin.headers.get('retry-after')).toBe('1');
      expect(await statusAndCode(twin)).toEqual([409, 'idempotency_in_flight']);
      expect((await first).status).toBe(202);
      await succeed(Buffer.from('late'));
      expect(await (await capture(owner, key)).text()).toBe('late');
    });

    it('can be used again after the caller disconnected', async () => {
      const owner = await api.client();
      const key = newKey();
      const disconnect = new AbortController();
      const left = owner.capture(PAGE, { headers: key, signal: disconnect.signal }).catch(() => undefined);
      await api.claim(owner);
      disconnect.abort();
      await left;
      await eventually('it is canceled', async () => (await used(owner)) === 0);
      const again = capture(owner, key);
      await (await api.claim(owner)).succeed(Buffer.from('second'));
      expect(await answerOf(again)).toMatchObject({ status: 200, body: 'second' });
      expect((await again).headers.get('idempotency-replayed')).toBeNull();
    });

    it('responds with job_canceled after the caller canceled the capture', async () => {
      const owner = await api.client();
      const key = newKey();
      const first = capture(owner, key);
      const { id } = await api.claim(owner);
      await owner.send('DELETE', `/v1/jobs/${id}`);
      expect(await statusAndCode(await first)).toEqual([409, 'job_canceled']);
      expect(await statusAndCode(await capture(owner, key))).toEqual([409, 'job_canceled']);
    });

    it('is not kept for a request that is refused for concurrency', async () => {
      const narrow = await api.client({ concurrency: 1 });
      const first = capture(narrow, newKey());
      const { succeed } = await api.claim(narrow);
      const key = newKey();
      expect(await statusAndCode(await capture(narrow, key))).toEqual([429, 'concurrency_exceeded']);
      await succeed();
      await (await first).arrayBuffer();
      const again = capture(narrow, key);
      await (await api.claim(narrow)).succeed(Buffer.from('second'));
      expect(await (await again).text()).toBe('second');
    });
  });
});
