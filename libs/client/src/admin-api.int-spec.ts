import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiKeysService } from '@app/auth';
import { startApi, type TestApi } from '../../../test/support/api.js';
import { json } from '../../../test/support/client.js';
import { reportWorker } from '../../../test/support/reported-worker.js';
import { CaptureClient, type AccountRecord } from './index.js';

describe('the accounts and keys of all', () => {
  let api: TestApi;
  let operator: CaptureClient;

  beforeAll(async () => {
    api = await startApi();
    const { accountId } = await api.client();
    const keys = api.app.get(ApiKeysService, { strict: false });
    const { key } = await keys.create(accountId, 'operator', { scopes: ['admin'] });
    operator = new CaptureClient({ baseUrl: api.url, key });
  });

  afterAll(() => api.close());

  const newAccount = (name: string): Promise<AccountRecord> => operator.admin.createAccount({ name });

  it('are created, changed, paused, resumed and deleted', async () => {
    const { admin } = operator;
    const made = await newAccount('acme');
    expect(made).toMatchObject({ name: 'acme', state: 'active', max_captures: null });
    // The reset of the concurrency follows the clock.
    const usage = { ...made.usage, concurrency: expect.objectContaining({ remaining: 10 }) };
    expect(await admin.account(made.id)).toEqual({ ...made, usage });
    expect(await admin.changeAccount(made.id, { max_captures: 5 })).toMatchObject({ max_captures: 5 });
    expect(await admin.pauseAccount(made.id)).toMatchObject({ state: 'paused' });
    expect(await admin.resumeAccount(made.id)).toMatchObject({ state: 'active' });
    expect((await admin.accountPage({ limit: 1 })).items).toMatchObject([{ name: 'acme' }]);
    const names: string[] = [];
    for await (const { name } of admin.accounts()) names.push(name);
    expect(names).toHaveLength(2);
    expect(await admin.deleteAccount(made.id)).toMatchObject({ state: 'deleting' });
    await expect(admin.account('..')).rejects.toMatchObject({ code: 'invalid_options' });
  });

  it('have keys that are created, rotated and revoked', async () => {
    const { admin } = operator;
    const { id: account } = await newAccount('with-keys');
    const made = await admin.createKey({ account_id: account, name: 'shop', scopes: ['read'] });
    const reader = new CaptureClient({ baseUrl: api.url, key: made.key ?? undefined });
    expect(await reader.usage()).toMatchObject({ used: 0 });
    await expect(reader.admin.accountPage()).rejects.toMatchObject({ code: 'scope_missing' });
    const rotated = await admin.rotateKey(made.id, { overlap_s: 60 });
    expect(rotated.key).not.toBe(made.key);
    expect(rotated.previous_until).not.toBeNull();
    expect((await admin.rotateKey(made.id)).key).not.toBe(rotated.key);
    expect(await admin.revokeKey(made.id)).toMatchObject({ revoked_at: expect.any(String) });
    expect(await admin.key(made.id)).toMatchObject({ name: 'shop', scopes: ['read'] });
    const names: string[] = [];
    for await (const { name } of admin.keys({ account_id: account })) names.push(name);
    expect(names).toEqual(['shop']);
  });

  it('have their usage, and an audit trail', async () => {
    const { admin } = operator;
    const { id } = await newAccount('used');
    const { items } = await admin.usagePage({ account_id: id, from: '2026-11-01', to: '2026-11-03' });
    expect(items).toMatchObject([{ account_id: id, account: 'used', days: [{ total: 0 }, { total: 0 }] }]);
    await admin.changeAccount(id, { concurrency: 3 });
    const { items: latest } = await admin.auditPage({ account_id: id, limit: 1 });
    expect(latest).toMatchObject([{ action: 'account.changed', after: { concurrency: 3 } }]);
    const actions: string[] = [];
    for await (const { action } of admin.audit({ account_id: id })) actions.push(action);
    expect(actions).toEqual(['account.changed', 'account.created']);
  });

  it('are seen in the workers, the queue, the settings and the health of the service', async () => {
    const { admin } = operator;
    const id = await reportWorker(api.app);
    expect(await admin.drainWorker(id)).toMatchObject({ id, state: 'draining' });
    expect(await admin.resumeWorker(id)).toMatchObject({ state: 'active' });
    expect(await admin.workers()).toMatchObject([{ id, host: 'machine' }]);
    const client = await api.client();
    const batch = String(
      (await json(client.post('/v1/bulk/json', { items: [{ url: 'https://a.example/' }] }))).id,
    );
    const { batches, hosts } = await admin.queue({ account_id: client.accountId });
    expect([batches, hosts]).toMatchObject([[{ id: batch }], [{ host: 'a.example', waiting: 1 }]]);
    expect(await admin.cancelBatch(batch)).toMatchObject({ status: 'canceled' });
    expect(await admin.settings()).toContainEqual(expect.objectContaining({ name: 'PORT', default: 3_000 }));
    expect(await admin.health({ days: 1 })).toMatchObject({ items: [] });
  });
});
