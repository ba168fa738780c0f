import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@app/kernel';
import { refusalOf } from '../../../../test/input/refusal.js';
import { startApi, type TestApi } from '../../../../test/support/api.js';
import { json, type Client } from '../../../../test/support/client.js';

type Caller = Client & { readonly accountId: string };

describe('/v1/webhooks', () => {
  let api: TestApi;
  let caller: Caller;

  beforeAll(async () => {
    api = await startApi();
    caller = await api.client();
  });

  afterAll(() => api.close());

  it.each([
    [{}, '400 invalid_request /url'],
    [[], '400 invalid_request '],
    [{ url: 7 }, '400 invalid_request /url'],
    [{ url: 'example.com/hook' }, '400 invalid_request /url'],
    [{ url: 'http://example.com/hook' }, '400 invalid_request /url'],
    [{ url: `https://example.com/${'x'.repeat(2_048)}` }, '400 invalid_request /url'],
    [{ url: 'https://example.com/hook', type: 'capture.failed' }, '400 invalid_request /type'],
    [{ url: 'https://10.0.0.1/hook' }, '403 target_forbidden /url'],
    [{ url: 'https://example.com:22/hook' }, '403 target_forbidden /url'],
  ])('refuses to test %j', async (body, refusal) => {
    expect(await refusalOf(caller.post('/v1/webhooks/test', body as object as never))).toBe(refusal);
    expect((await json(caller.get('/v1/webhooks/deliveries'))).items).toEqual([]);
  });

  it.each([
    ['state=lost', '/state'],
    ['type=capture', '/type'],
    ['subject_id=x', '/subject_id'],
    ['created_after=yesterday', '/created_after'],
    ['created_before=2026-02-30', '/created_before'],
    ['limit=101', '/limit'],
    ['cursor=x', '/cursor'],
    ['status=failed', '/status'],
  ])('refuses a list with %s', async (query, pointer) => {
    expect(await refusalOf(caller.get(`/v1/webhooks/deliveries?${query}`))).toBe(
      `400 invalid_request ${pointer}`,
    );
  });

  it('accepts a test, and says where its delivery is', async () => {
    const response = await caller.post('/v1/webhooks/test', { url: 'https://EXAMPLE.com/hook' });
    const { id, url, state } = await json(response);
    expect([response.status, url, state]).toEqual([202, 'https://example.com/hook', 'pending']);
    expect(response.headers.get('location')).toBe(`/v1/webhooks/deliveries/${String(id)}`);
  });

  it.each([
    ['https://10.0.0.1/hook', '403 target_forbidden /url'],
    ['http://example.com/hook', '400 invalid_request /url'],
  ])('does not replay to %s, which is accepted no longer', async (url, refusal) => {
    const id = newId();
    await api.database.query(
      `INSERT INTO webhook_deliveries (id, account_id, subject_id, type, url, host, body, state, attempts, finished_at)
       VALUES ($1, $2, $3, 'capture.failed', $4, 'x', '{}', 'failed', 10, now())`,
      [id, caller.accountId, newId(), url],
    );
    expect(await refusalOf(caller.send('POST', `/v1/webhooks/deliveries/${id}/replay`))).toBe(refusal);
    expect(await json(caller.get(`/v1/webhooks/deliveries/${id}`))).toMatchObject({
      state: 'failed',
      attempts: 10,
    });
  });
});
