import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiKeysService } from '@app/auth';
import { startApi, type TestApi } from '../../../../test/support/api.js';
import { json, type Client, type Json } from '../../../../test/support/client.js';

describe('the security of /v1/admin', () => {
  let api: TestApi;
  let admin: Client;
  let adminAccount: string;

  beforeAll(async () => {
    api = await startApi();
    const client = await api.client();
    adminAccount = client.accountId;
    admin = client.withKey((await keys().create(adminAccount, 'operator', { scopes: ['admin'] })).key);
  });

  afterAll(() => api.close());

  const keys = () => api.app.get(ApiKeysService, { strict: false });
  let accounts = 0;
  const newAccount = async (): Promise<string> =>
    String((await json(admin.post('/v1/admin/accounts', { name: `made-${++accounts}` }))).id);
  const newKey = async (accountId: string, settings: Json = {}): Promise<Client & { keyId: string }> => {
    const made = await json(admin.post('/v1/admin/keys', { account_id: accountId, ...settings }));
    return Object.assign(admin.withKey(String(made.key)), { keyId: String(made.id) });
  };
  const audited = async (query: string): Promise<number> =>
    ((await json(admin.get(`/v1/admin/audit?${query}`))).items as Json[]).length;

  describe('a request that is repeated with its Idempotency-Key', () => {
    const post = async (path: string, key: string, body: Json = {}) => {
      const response = await admin.post(path, body, { 'idempotency-key': key });
      const isReplayed = response.headers.get('idempotency-replayed') === 'true';
      return { status: response.status, isReplayed, body: await json(response) };
    };

    it('creates one account, also when both come together', async () => {
      const create = () => post('/v1/admin/accounts', 'account', { name: 'once' });
      const answers = await Promise.all([create(), create(), create()]);
      expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
      expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
      expect(answers.filter(({ isReplayed }) => isReplayed)).toHaveLength(2);
      const other = await post('/v1/admin/accounts', 'account', { name: 'another' });
      expect([other.status, other.body.code]).toEqual([422, 'idempotency_mismatch']);
    });

    it('is carried out when the first one was refused', async () => {
      await newAccount();
      const taken = await post('/v1/admin/accounts', 'refused', { name: `made-${accounts}` });
      expect(taken.status).toBe(400);
      expect((await post('/v1/admin/accounts', 'refused', { name: 'free' })).status).toBe(201);
    });

    it('makes one key, whose secret only the first answer has and nothing keeps', async () => {
      const account_id = await newAccount();
      const first = await post('/v1/admin/keys', 'key', { account_id });
      const again = await post('/v1/admin/keys', 'key', { account_id });
      expect(first).toMatchObject({ status: 201, isReplayed: false, body: { key: expect.any(String) } });
      expect(again).toEqual({ status: 201, isReplayed: true, body: { ...first.body, key: null } });
      const secret = String(first.body.key).split('_')[2]?.slice(0, 32) ?? '';
      const { rows } = await api.database.query<{ row: string }>(
        `SELECT to_jsonb(t)::text AS row FROM idempotency_keys AS t UNION ALL SELECT to_jsonb(t)::text FROM api_keys AS t
         UNION ALL SELECT to_jsonb(t)::text FROM audit_events AS t`,
      );
      expect(rows.filter(({ row }) => row.includes(secret))).toEqual([]);
      const mismatch = await post('/v1/admin/keys', 'key', { account_id, name: 'x' });
      expect(mismatch.body).toMatchObject({
        code: 'idempotency_mismatch',
        detail: expect.stringContaining(String(first.body.id)),
      });
    });

    it('rotates a key once: the secret of the first answer goes on to work', async () => {
      const { keyId } = await newKey(await newAccount());
      const first = await post(`/v1/admin/keys/${keyId}/rotate`, 'rotation', { overlap_s: 0 });
      const again = await post(`/v1/admin/keys/${keyId}/rotate`, 'rotation', { overlap_s: 0 });
      expect([again.isReplayed, again.body.key]).toEqual([true, null]);
      expect((await admin.withKey(String(first.body.key)).get('/v1/usage')).status).toBe(200);
      expect(await audited(`subject_id=${keyId}&action=key.rotated`)).toBe(1);
    });

    it('does not pause an account again that was resumed since', async () => {
      const path = `/v1/admin/accounts/${await newAccount()}`;
      expect((await post(`${path}/pause`, 'pause')).body.state).toBe('paused');
      expect((await post(`${path}/resume`, 'resume')).body.state).toBe('active');
      expect((await post(`${path}/pause`, 'pause')).body.state).toBe('active');
    });

    it('is answered 410 when what it made is gone', async () => {
      const account_id = await newAccount();
      await post('/v1/admin/keys', 'gone', { account_id });
      await api.database.query(`DELETE FROM accounts WHERE id = '${account_id}'`);
      const again = post('/v1/admin/keys', 'gone', { account_id }).then(({ status, body }) => [
        status,
        body.code,
      ]);
      expect(await again).toEqual([410, 'result_expired']);
    });
  });
});
