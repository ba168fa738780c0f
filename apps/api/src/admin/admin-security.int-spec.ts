import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AuditRepository } from '@app/audit';
import { ApiKeysService } from '@app/auth';
import { Clock, ManualClock } from '@app/kernel';
import { startApi, type TestApi } from '../../../../test/support/api.js';
import { json, statusAndCode, type Client, type Json } from '../../../../test/support/client.js';
import { eventually } from '../../../../test/support/eventually.js';
import { reportWorker } from '../../../../test/support/reported-worker.js';

describe('the security of /v1/admin', () => {
  const clock = new ManualClock(new Date());
  let api: TestApi;
  let admin: Client;
  let anyone: Client;
  let adminAccount: string;

  beforeAll(async () => {
    api = await startApi({}, undefined, [[Clock, clock]]);
    const client = await api.client();
    adminAccount = client.accountId;
    anyone = client;
    admin = await operator();
  });

  afterAll(() => api.close());

  const keys = () => api.app.get(ApiKeysService, { strict: false });
  const operator = async (accountId = adminAccount): Promise<Client & { keyId: string }> => {
    const { id, key } = await keys().create(accountId, 'operator', { scopes: ['admin'] });
    return Object.assign(anyone.withKey(key), { keyId: id });
  };
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

  describe('the bodies of its requests', () => {
    interface Body {
      readonly method: string;
      readonly path: string;
      readonly fields: readonly string[];
      readonly example: Json;
    }

    /** Every body of the OpenAPI document, and every name of a field of any record or body of an operator. */
    const readBodies = async (): Promise<{ bodies: Body[]; names: string[] }> => {
      const { paths, components } = (await json(fetch(`${api.url}/docs/openapi.json`))) as unknown as OpenApi;
      const schemaOf = (ref: string) => components.schemas[ref.split('/').at(-1) ?? '']?.properties ?? {};
      const bodies: Body[] = [];
      const names = new Set<string>([...COLUMNS, '__proto__', 'constructor']);
      for (const [path, methods] of Object.entries(paths).filter(([each]) => each.startsWith('/v1/admin/'))) {
        for (const [method, { requestBody }] of Object.entries(methods)) {
          const content = requestBody?.content['application/json'];
          if (!content) continue;
          const fields = Object.keys(schemaOf(content.schema.$ref));
          bodies.push({
            method: method.toUpperCase(),
            path,
            fields,
            example: content.examples.example.value,
          });
        }
      }
      for (const record of ['AccountRecord', 'NewKeyRecord']) {
        for (const name of Object.keys(schemaOf(record))) names.add(name);
      }
      for (const { fields } of bodies) for (const name of fields) names.add(name);
      return { bodies, names: [...names] };
    };

    it('refuse every field that is not theirs: no one raises what a key may do or whose it is', async () => {
      const { bodies, names } = await readBodies();
      expect(bodies.length).toBeGreaterThan(3);
      const account = await newAccount();
      const { keyId } = await newKey(account);
      const before = await stateOf(account);
      for (const { method, path, fields, example } of bodies) {
        const at = path.replace('{id}', path.includes('/keys/') ? keyId : account);
        for (const name of names.filter((each) => !fields.includes(each))) {
          // JSON.parse makes `__proto__` a field, which an object literal does not.
          const body = `{${JSON.stringify(name)}: ["admin"], ${JSON.stringify({ ...example, account_id: undefined }).slice(1)}`;
          const headers = { 'content-type': 'application/json' };
          const answer = await json(admin.send(method, at, { headers, body }));
          expect([path, name, answer.status]).toEqual([path, name, 400]);
          expect((answer.errors as Json[]).map(({ pointer }) => pointer)).toContain(`/${name}`);
        }
      }
      expect(await stateOf(account)).toEqual(before);
    });

    it('make and change nothing with a key of any other scope', async () => {
      const { bodies } = await readBodies();
      const account = await newAccount();
      const client = await newKey(account);
      const before = await stateOf(account);
      for (const { method, path, example } of bodies) {
        const at = path.replace('{id}', path.includes('/keys/') ? client.keyId : account);
        const body = JSON.stringify({ ...example, ...('account_id' in example && { account_id: account }) });
        const sent = client.send(method, at, { headers: { 'content-type': 'application/json' }, body });
        expect(await statusAndCode(sent)).toEqual([403, 'scope_missing']);
      }
      expect(await stateOf(account)).toEqual(before);
    });

    /** The rows of an account and its keys, without the day of their last request. */
    const stateOf = async (accountId: string): Promise<unknown> => {
      const { rows } = await api.database.query(
        `SELECT to_jsonb(t) AS row FROM accounts AS t WHERE id = '${accountId}'
         UNION ALL SELECT to_jsonb(t) - 'last_used_on' FROM api_keys AS t WHERE account_id = '${accountId}'`,
      );
      return rows;
    };
  });

  describe('the limits of a key', () => {
    const change = (id: string, body: Json) =>
      admin.send('PATCH', `/v1/admin/keys/${id}`, {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });

    it('change as the body says, within 5 seconds, and null removes one', async () => {
      const client = await newKey(await newAccount(), { allowed_hosts: ['shop.example'] });
      expect((await client.submit({ url: 'https://shop.example/' })).status).toBe(202);
      const limits = { name: 'moved', allowed_hosts: ['other.example'], allowed_ips: ['127.0.0.0/8'] };
      const expires_at = new Date(clock.now().getTime() + 3_600_000).toISOString();
      expect(await json(change(client.keyId, { ...limits, expires_at }))).toMatchObject({
        ...limits,
        expires_at,
      });
      clock.set(new Date(clock.now().getTime() + 5_000));
      expect((await client.submit({ url: 'https://shop.example/' })).status).toBe(403);
      expect((await client.submit({ url: 'https://other.example/' })).status).toBe(202);
      const none = { expires_at: null, allowed_hosts: null, allowed_ips: null };
      expect(await json(change(client.keyId, none))).toMatchObject({ ...none, name: 'moved' });
      expect(await audited(`subject_id=${client.keyId}&action=key.changed`)).toBe(2);
    });

    it.each<[Json, string]>([
      [{ expires_at: '2020-01-01T00:00:00Z' }, '/expires_at'],
      [{ allowed_hosts: [] }, '/allowed_hosts'],
      [{ allowed_ips: ['10.0.0.1'] }, '/allowed_ips'],
      [{ name: null }, '/name'],
    ])('are refused with the field: %j', async (body, pointer) => {
      const { keyId } = await newKey(await newAccount());
      const answer = await json(change(keyId, body));
      expect(answer).toMatchObject({ status: 400, errors: [{ pointer }] });
    });

    it('are not lifted by the holder of a key with the scope admin, nor for one that has ended', async () => {
      const { id } = await keys().create(adminAccount, 'limited', {
        scopes: ['admin'],
        allowedIps: ['127.0.0.1/32'],
      });
      expect(await statusAndCode(change(id, { allowed_ips: null }))).toEqual([409, 'admin_key']);
      await keys().revoke(id);
      expect(await statusAndCode(change(id, { name: 'x' }))).toEqual([404, 'not_found']);
    });
  });

  describe('many requests at once', () => {
    it('leave one key with the scope admin, when each revokes another', async () => {
      const made = await Promise.all(
        Array.from({ length: 6 }, (_, i) => keys().create(adminAccount, `admin-${i}`, { scopes: ['admin'] })),
      );
      const all = (await keys().list()).filter(
        ({ scopes, revokedAt }) => scopes.includes('admin') && !revokedAt,
      );
      const revoked = await Promise.all(all.map(({ id }) => admin.send('DELETE', `/v1/admin/keys/${id}`)));
      expect(revoked.filter(({ status }) => status === 200)).toHaveLength(all.length - 1);
      expect(revoked.filter(({ status }) => status === 409)).toHaveLength(1);
      const left = (await keys().list()).filter(
        ({ scopes, revokedAt }) => scopes.includes('admin') && !revokedAt,
      );
      expect(left).toHaveLength(1);
      admin = await operator();
      for (const { id } of made) await keys().revoke(id);
    });

    it('leave it although there is another one, which has expired', async () => {
      for (const { id, scopes } of await keys().list()) if (scopes.includes('admin')) await keys().revoke(id);
      const expiresAt = new Date(Date.now() - 1_000);
      await keys().create(adminAccount, 'expired', { scopes: ['admin'], expiresAt });
      const { id, key } = await keys().create(adminAccount, 'last', { scopes: ['admin'] });
      admin = anyone.withKey(key);
      const revocation = admin.send('DELETE', `/v1/admin/keys/${id}`);
      expect(await statusAndCode(revocation)).toEqual([409, 'admin_key']);
    });

    it('delete one of two accounts of operators that delete each other, and no key in between', async () => {
      const [first, second] = [await newAccount(), await newAccount()];
      for (const { id, scopes } of await keys().list()) if (scopes.includes('admin')) await keys().revoke(id);
      const [one, other] = await Promise.all([operator(first), operator(second)]);
      const statuses = await Promise.all([
        one.send('DELETE', `/v1/admin/accounts/${second}`),
        other.send('DELETE', `/v1/admin/accounts/${first}`),
      ]);
      // The second one finds that it would remove the last key, or is revoked already.
      const [done = 0, refused = 0] = statuses.map(({ status }) => status).toSorted();
      expect(done).toBe(202);
      expect([401, 409]).toContain(refused);
      admin = await operator();
    });

    it('make no key for an account that is deleted meanwhile', async () => {
      const account_id = await newAccount();
      await Promise.all([
        ...Array.from({ length: 8 }, () => admin.post('/v1/admin/keys', { account_id })),
        admin.send('DELETE', `/v1/admin/accounts/${account_id}`),
      ]);
      const left = (await keys().list()).filter(
        ({ accountId, revokedAt }) => accountId === account_id && !revokedAt,
      );
      expect(left).toEqual([]);
    });

    it('give a key one secret each time it is rotated, of which the last two work', async () => {
      const { keyId } = await newKey(await newAccount());
      const rotated = await Promise.all(
        Array.from({ length: 5 }, () => json(admin.post(`/v1/admin/keys/${keyId}/rotate`, {}))),
      );
      const works = await Promise.all(
        rotated.map(async ({ key }) => (await admin.withKey(String(key)).get('/v1/usage')).status),
      );
      expect(works.filter((status) => status === 200)).toHaveLength(2);
    });
  });

  describe('the audit trail', () => {
    it.each([
      `UPDATE audit_events SET actor = '{}'`,
      `DELETE FROM audit_events`,
      `DELETE FROM audit_events WHERE at < now() - interval '1 day'`,
      `TRUNCATE audit_events`,
      `SET LOCAL capture.expiring = 'on'; DELETE FROM audit_events`,
    ])('is not changed by the database role of the service: %s', async (statement) => {
      await newAccount();
      await api.database.query(`INSERT INTO audit_events (id, at, action, subject_id, actor)
        VALUES (gen_random_uuid(), now() - interval '2 days', 'key.changed', 'old', '{}')`);
      await expect(api.database.query(statement)).rejects.toMatchObject({ code: '42501' });
    });

    interface Operation {
      readonly method: string;
      readonly path: string;
      readonly example: Json | undefined;
    }

    /** Every operation of the OpenAPI document by which operators change something. */
    const readChanges = async (): Promise<Operation[]> => {
      const { paths } = (await json(fetch(`${api.url}/docs/openapi.json`))) as unknown as OpenApi;
      return Object.entries(paths)
        .filter(([path]) => path.startsWith('/v1/admin/'))
        .flatMap(([path, methods]) =>
          Object.entries(methods).map(([method, { requestBody }]) => {
            const example = requestBody?.content['application/json']?.examples.example.value;
            return { method: method.toUpperCase(), path, example };
          }),
        )
        .filter(({ method }) => method !== 'GET');
    };

    /** The id of something that the operation can change. */
    const targetOf = async ({ path }: Operation): Promise<string> => {
      const account = await newAccount();
      if (path.startsWith('/v1/admin/workers/')) return reportWorker(api.app);
      if (path.startsWith('/v1/admin/keys/')) return (await newKey(account)).keyId;
      if (!path.startsWith('/v1/admin/batches/')) return account;
      const client = await newKey(account);
      return String(
        (await json(client.post('/v1/bulk/json', { items: [{ url: 'https://shop.example/' }] }))).id,
      );
    };

    /** Sends what changes the target. */
    const change = (operation: Operation, id: string): Promise<Response> => {
      const { method, example } = operation;
      const at = operation.path.replace('{id}', id);
      if (!example) return admin.send(method, at);
      const body = JSON.stringify({
        ...example,
        ...('account_id' in example && { account_id: id }),
        ...('name' in example && { name: `audited-${id}` }),
      });
      return admin.send(method, at, { headers: { 'content-type': 'application/json' }, body });
    };

    const stateOfAll = async (): Promise<unknown[]> => {
      const tables = ['accounts', 'workers', 'batches', 'jobs'].map(
        (table) => `to_jsonb(t) AS row FROM ${table} AS t`,
      );
      const { rows } = await api.database.query<Json>(
        `SELECT ${[...tables, `to_jsonb(t) - 'last_used_on' FROM api_keys AS t`].join(' UNION ALL SELECT ')} ORDER BY row`,
      );
      return rows;
    };

    it('has every change by an operator, and nothing changes when it cannot be written', async () => {
      const changes = await readChanges();
      expect(changes.length).toBeGreaterThan(10);
      for (const operation of changes) {
        const { method, path } = operation;
        const id = await targetOf(operation);
        const opposite = path.startsWith('/v1/admin/workers/') ? 'drain' : 'pause';
        if (path.endsWith('/resume'))
          await admin.send('POST', path.replace('{id}', id).replace('resume', opposite));
        const before = await stateOfAll();
        await api.database.query('ALTER TABLE audit_events RENAME TO audit_aside');
        const refused = await change(operation, id);
        await api.database.query('ALTER TABLE audit_aside RENAME TO audit_events');
        expect([method, path, refused.status, await stateOfAll()]).toEqual([method, path, 500, before]);
        const count = `SELECT count(*)::int AS n FROM audit_events`;
        const [earlier] = (await api.database.query(count)).rows;
        const { ok } = await change(operation, id);
        const [later] = (await api.database.query(count)).rows;
        expect([method, path, ok, Number(later?.n) - Number(earlier?.n)]).toEqual([method, path, true, 1]);
      }
    });

    it('shows by each of its filters the events that it names, and no other', async () => {
      const [account, other] = [await newAccount(), await newAccount()];
      const { keyId } = await newKey(account);
      await newKey(other);
      const second = await operator();
      const { rows } = await api.database.query<{ now: Date }>(`SELECT now() + interval '1 ms' AS now`);
      const between = new Date(rows[0]?.now ?? NaN);
      await eventually('that time is over', () => Date.now() > between.getTime() + 1);
      await second.post('/v1/admin/keys', { account_id: account });
      type Shown = readonly [action: unknown, isOwn: boolean];
      const shownBy = async (filter: string): Promise<Shown[]> => {
        const { items } = await json(admin.get(`/v1/admin/audit?limit=100&${filter}`));
        return (items as Json[]).map(({ action, account_id }) => [action, account_id === account]);
      };
      const [created, key] = [
        ['account.created', true],
        ['key.created', true],
      ] as const;
      expect(await shownBy(`account_id=${account}`)).toEqual([key, key, created]);
      expect(await shownBy(`account_id=${account}&action=key.created`)).toEqual([key, key]);
      expect(await shownBy(`subject_id=${keyId}`)).toEqual([key]);
      const at = encodeURIComponent(between.toISOString());
      expect(await shownBy(`account_id=${account}&created_after=${at}`)).toEqual([key]);
      expect(await shownBy(`account_id=${account}&created_before=${at}`)).toEqual([key, created]);
      expect(await shownBy(`account_id=${account}&actor_key_id=${second.keyId}`)).toEqual([key]);
      expect(await shownBy(`actor_key_id=${second.keyId}`)).toEqual([key]);
    });

    it('loses what has expired', async () => {
      const trail = api.app.get(AuditRepository, { strict: false });
      await api.database.query(`INSERT INTO audit_events (id, at, action, subject_id, actor)
        VALUES (gen_random_uuid(), now() - interval '2 years', 'key.changed', 'older', '{}')`);
      expect(await trail.purge(31_536_000)).toBe(1);
      expect(await trail.purge(31_536_000)).toBe(0);
    });
  });
});

/** Columns of accounts and keys, of which most are in no record. */
const COLUMNS = [
  'secret_sha256',
  'previous_secret_sha256',
  'person',
  'links_expire',
  'paused_at',
  'deleting_at',
];

interface OpenApi {
  readonly paths: Record<string, Record<string, { readonly requestBody?: RequestBody }>>;
  readonly components: { readonly schemas: Record<string, { readonly properties?: Json }> };
}

interface RequestBody {
  readonly content: {
    readonly 'application/json'?: {
      readonly schema: { readonly $ref: string };
      readonly examples: { readonly example: { readonly value: Json } };
    };
  };
}
