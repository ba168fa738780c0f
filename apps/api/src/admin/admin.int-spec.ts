import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ApiKeysService, type KeySettings } from '@app/auth';
import { AppError, Clock, ManualClock } from '@app/kernel';
import { startApi, type TestApi } from '../../../../test/support/api.js';
import { CrawlRequestsService } from '../crawls/crawl-requests.service.js';
import { freePort } from '../../../../test/support/free-port.js';
import { json, statusAndCode, type Client, type Json } from '../../../../test/support/client.js';

const PAGE = { url: 'https://shop.example/' };

describe('/v1/admin', () => {
  const clock = new ManualClock(new Date());
  let api: TestApi;
  let admin: Client;
  let adminId: string;
  let adminAccount: string;

  beforeAll(async () => {
    api = await startApi({ TRUSTED_PROXIES: '1' }, undefined, [[Clock, clock]]);
    const client = await api.client();
    adminAccount = client.accountId;
    const made = await keys().create(adminAccount, 'operator', { scopes: ['admin'] });
    admin = client.withKey(made.key);
    adminId = made.id;
  });

  beforeEach(() => {
    clock.set(new Date());
  });

  afterAll(() => api.close());

  const keys = () => api.app.get(ApiKeysService, { strict: false });
  const passMs = (ms: number) => {
    clock.set(new Date(clock.now().getTime() + ms));
  };
  const patch = (path: string, body: Json) =>
    admin.send('PATCH', path, {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  let accounts = 0;
  const newAccount = async (settings: Json = {}): Promise<Json & { id: string }> => {
    const made = await json(admin.post('/v1/admin/accounts', { name: `made-${++accounts}`, ...settings }));
    return made as Json & { id: string };
  };
  const newKey = async (accountId: string, settings: Json = {}): Promise<Client & { keyId: string }> => {
    const made = await json(admin.post('/v1/admin/keys', { account_id: accountId, ...settings }));
    return Object.assign(admin.withKey(String(made.key)), { keyId: String(made.id) });
  };
  const audit = async (query: string): Promise<Json[]> =>
    (await json(admin.get(`/v1/admin/audit?${query}`))).items as Json[];

  describe('accounts', () => {
    it('are created with the defaults of the command, listed and shown', async () => {
      const response = await admin.post('/v1/admin/accounts', { name: 'acme', max_bytes: 5_000_000_000 });
      const made = await json(response);
      expect([response.status, response.headers.get('location')]).toEqual([
        201,
        `/v1/admin/accounts/${String(made.id)}`,
      ]);
      expect(made).toMatchObject({
        name: 'acme',
        state: 'active',
        allowance: 10_000,
        allowance_period: 'month',
        concurrency: 10,
        rate: 600,
        burst: 100,
        webhook_url: null,
        max_bytes: 5_000_000_000,
        max_captures: null,
        usage: { total: 10_000, used: 0 },
      });
      expect(await json(admin.get(`/v1/admin/accounts/${String(made.id)}`))).toEqual(made);
      const first = await json(admin.get('/v1/admin/accounts?limit=1'));
      expect(first.items).toEqual([made]);
      const second = await json(admin.get(`/v1/admin/accounts?limit=1&cursor=${String(first.next_cursor)}`));
      expect(second.items).not.toEqual(first.items);
    });

    it('change as the body says; null removes a limit and the address', async () => {
      const { id } = await newAccount({ max_monitors: 3, webhook_url: 'https://example.com/secret-hook' });
      const changed = await json(patch(`/v1/admin/accounts/${id}`, { concurrency: 3, max_monitors: null }));
      expect(changed).toMatchObject({ concurrency: 3, max_monitors: null, allowance: 10_000 });
      expect(await json(patch(`/v1/admin/accounts/${id}`, { webhook_url: null }))).toMatchObject({
        webhook_url: null,
      });
      const [removed, change] = await audit(`subject_id=${id}&action=account.changed`);
      expect(removed).toMatchObject({ before: { webhook_origin: 'https://example.com' } });
      expect(JSON.stringify(removed)).not.toContain('secret-hook');
      expect(change).toMatchObject({
        before: { concurrency: 10, max_monitors: 3 },
        after: { concurrency: 3, max_monitors: null },
        actor: { kind: 'key', key_id: adminId, key_name: 'operator', account_id: adminAccount },
      });
    });

    it.each<[Json, string, string]>([
      [{}, '/name', 'required'],
      [{ name: ' acme' }, '/name', 'invalid_value'],
      [{ name: 'x', allowance: -1 }, '/allowance', 'out_of_range'],
      [{ name: 'x', allowance: null }, '/allowance', 'wrong_type'],
      [{ name: 'x', state: 'active' }, '/state', 'unknown_field'],
      [{ name: 'x', webhook_url: 'http://example.com/' }, '/webhook_url', 'not_allowed'],
    ])('are refused with every fault: %j', async (body, pointer, code) => {
      const answer = await json(admin.post('/v1/admin/accounts', body));
      expect(answer).toMatchObject({ status: 400, errors: [{ pointer, code }] });
    });

    it('have names of their own', async () => {
      await newAccount({ name: 'twice' });
      expect(await json(admin.post('/v1/admin/accounts', { name: 'twice' }))).toMatchObject({
        errors: [{ pointer: '/name', code: 'not_unique' }],
      });
    });

    it('keep no more captures, bytes, batches, webhooks, sessions and monitors than they may', async () => {
      const { id } = await newAccount({ max_captures: 3, max_batches: 1, max_sessions: 1, max_monitors: 0 });
      const client = await newKey(id);
      const batch = (rows: number) => client.post('/v1/bulk/json', { items: Array(rows).fill(PAGE) });
      expect(await statusAndCode(batch(4))).toEqual([409, 'limit_reached']);
      expect((await json(client.get('/v1/usage'))).used).toBe(0);
      expect((await batch(2)).status).toBe(202);
      expect(await statusAndCode(batch(1))).toEqual([409, 'limit_reached']);
      const several = await Promise.all([1, 2, 3].map(() => client.submit(PAGE)));
      expect(several.map(({ status }) => status).toSorted()).toEqual([202, 409, 409]);
      expect(await statusAndCode(client.capture(PAGE))).toEqual([409, 'limit_reached']);
      expect((await json(client.get('/v1/usage'))).used).toBe(3);
      const monitor = { capture: PAGE, schedule: { every_s: 60 } };
      expect(await statusAndCode(client.post('/v1/monitors', monitor))).toEqual([409, 'limit_reached']);
      const session = { origins: ['https://shop.example'], state: { cookies: [], origins: [] } };
      expect((await client.post('/v1/sessions', { ...session, name: 'first' })).status).toBe(201);
      const second = client.post('/v1/sessions', { ...session, name: 'second' });
      expect(await statusAndCode(second)).toEqual([409, 'limit_reached']);
      for (let i = 0; i < 3; i++) await (await api.claim({ accountId: id })).succeed(Buffer.alloc(400));
      await patch(`/v1/admin/accounts/${id}`, { max_captures: null, max_bytes: 1_200, max_batches: null });
      expect(await statusAndCode(client.submit(PAGE))).toEqual([409, 'limit_reached']);
      await patch(`/v1/admin/accounts/${id}`, { max_bytes: 1_201, max_webhooks: 1 });
      const announced = { ...PAGE, webhook_url: 'https://example.com/hook' };
      expect((await client.submit(announced)).status).toBe(202);
      await (await api.claim({ accountId: id })).fail(new AppError('target_dns_error'));
      expect(await statusAndCode(client.submit(announced))).toEqual([409, 'limit_reached']);
      expect((await client.submit(PAGE)).status).toBe(202);
    });

    it('accept nothing new while they are paused, and what was accepted ends', async () => {
      const { id } = await newAccount();
      const client = await newKey(id);
      const running = await json(client.submit(PAGE));
      const claimed = await api.claim({ accountId: id });
      expect(await json(admin.send('POST', `/v1/admin/accounts/${id}/pause`))).toMatchObject({
        state: 'paused',
      });
      const batch = client.post('/v1/bulk/json', { items: [PAGE] });
      const monitor = client.post('/v1/monitors', { capture: PAGE, schedule: { every_s: 60 } });
      const state = { cookies: [], origins: [] };
      const session = client.post('/v1/sessions', { name: 'shop', origins: ['https://shop.example'], state });
      const link = client.post('/v1/links', { ...PAGE, expires_in_s: 60 });
      for (const refused of [client.submit(PAGE), client.capture(PAGE), batch, monitor, session, link]) {
        expect(await statusAndCode(refused)).toEqual([403, 'account_paused']);
      }
      await claimed.succeed();
      expect(await json(client.get(`/v1/jobs/${String(running.id)}`))).toMatchObject({ status: 'succeeded' });
      await admin.send('POST', `/v1/admin/accounts/${id}/resume`);
      expect((await client.submit(PAGE)).status).toBe(202);
      const actions = (await audit(`account_id=${id}`)).map(({ action }) => action);
      expect(actions).toEqual(['account.resumed', 'account.paused', 'key.created', 'account.created']);
    });
  });

  describe('keys', () => {
    it('are shown once, and list without their secrets', async () => {
      const { id } = await newAccount({ name: 'keys' });
      const made = await json(admin.post('/v1/admin/keys', { account_id: id }));
      expect(made).toMatchObject({ name: 'keys', scopes: ['capture', 'read', 'links'], revoked_at: null });
      const secret = String(made.key).slice(-38);
      const listed = await admin.get(`/v1/admin/keys?account_id=${id}`);
      const text = await listed.text();
      expect(text).toContain(String(made.id));
      expect(text).not.toContain(secret);
      expect(JSON.stringify(await audit(`subject_id=${String(made.id)}`))).not.toContain(secret);
      const shown = await json(admin.get(`/v1/admin/keys/${String(made.id)}`));
      expect(shown).not.toHaveProperty('key');
    });

    it('are listed page by page', async () => {
      const { id } = await newAccount();
      const made = [];
      for (let i = 0; i < 3; i++) made.unshift((await newKey(id)).keyId);
      const listed: string[] = [];
      let cursor = '';
      do {
        const page = await json(admin.get(`/v1/admin/keys?account_id=${id}&limit=2${cursor}`));
        listed.push(...(page.items as { id: string }[]).map((key) => key.id));
        cursor = typeof page.next_cursor === 'string' ? `&cursor=${page.next_cursor}` : '';
      } while (cursor !== '');
      expect(listed.toSorted()).toEqual(made.toSorted());
    });

    it('note the day of their last request', async () => {
      const { id } = await newAccount();
      const client = await newKey(id);
      const day = async () => (await json(admin.get(`/v1/admin/keys/${client.keyId}`))).last_used_on;
      expect(await day()).toBeNull();
      await client.get('/v1/usage');
      expect(await day()).toBe(new Date().toISOString().slice(0, 10));
    });

    it.each<[Json, string, string]>([
      [{ scopes: [] }, '/scopes', 'invalid_value'],
      [{ scopes: ['root'] }, '/scopes', 'not_allowed'],
      [{ expires_at: '2020-01-01T00:00:00Z' }, '/expires_at', 'invalid_value'],
      [{ allowed_hosts: [] }, '/allowed_hosts', 'invalid_value'],
      [{ allowed_hosts: ['https://example.com'] }, '/allowed_hosts', 'invalid_value'],
      [{ allowed_ips: ['10.0.0.1'] }, '/allowed_ips', 'invalid_value'],
      [{ mcp_unsafe: true }, '/mcp_unsafe', 'unknown_field'],
    ])('are refused with every fault: %j', async (settings, pointer, code) => {
      const answer = await json(admin.post('/v1/admin/keys', { account_id: adminAccount, ...settings }));
      expect(answer).toMatchObject({ status: 400, errors: [{ pointer, code }] });
    });

    it('never get the scope admin over HTTP, and nobody raises their own scopes', async () => {
      for (const scopes of [['admin'], ['read', 'admin']]) {
        const asked = admin.post('/v1/admin/keys', { account_id: adminAccount, scopes });
        expect(await statusAndCode(asked)).toEqual([409, 'admin_key']);
      }
      expect((await patch(`/v1/admin/keys/${adminId}`, { scopes: ['capture'] })).status).toBe(400);
      const { id } = await newAccount();
      const client = await newKey(id);
      expect(await statusAndCode(client.post('/v1/admin/keys', { account_id: id }))).toEqual([
        403,
        'scope_missing',
      ]);
      const rotated = admin.post(`/v1/admin/keys/${adminId}/rotate`, {});
      expect(await statusAndCode(rotated)).toEqual([409, 'admin_key']);
    });

    it('work with both secrets until the overlap of a rotation ends', async () => {
      const { id } = await newAccount();
      const before = await newKey(id);
      const rotated = await json(admin.post(`/v1/admin/keys/${before.keyId}/rotate`, { overlap_s: 60 }));
      const after = admin.withKey(String(rotated.key));
      expect(rotated).toMatchObject({ id: before.keyId, previous_until: expect.any(String) });
      passMs(5_000);
      for (const client of [before, after]) expect((await client.get('/v1/usage')).status).toBe(200);
      passMs(60_000);
      expect((await after.get('/v1/usage')).status).toBe(200);
      expect((await before.get('/v1/usage')).status).toBe(401);
    });

    it('end at once with their secret when a rotation has no overlap', async () => {
      const { id } = await newAccount();
      const before = await newKey(id);
      expect((await before.get('/v1/usage')).status).toBe(200);
      await admin.post(`/v1/admin/keys/${before.keyId}/rotate`, { overlap_s: 0 });
      passMs(5_000);
      expect((await before.get('/v1/usage')).status).toBe(401);
    });

    it('stop working when they expire, also in a process that has just used them', async () => {
      const { id } = await newAccount();
      const client = await newKey(id, { expires_at: new Date(Date.now() + 60_000).toISOString() });
      expect((await client.get('/v1/usage')).status).toBe(200);
      passMs(59_000);
      expect((await client.get('/v1/usage')).status).toBe(200);
      passMs(3_000);
      expect((await client.get('/v1/usage')).status).toBe(401);
    });

    it('stop working within 5 s when they are revoked while they are used', async () => {
      const { id } = await newAccount();
      const client = await newKey(id);
      const [, revoked] = await Promise.all([
        Promise.all(Array.from({ length: 10 }, () => client.get('/v1/usage'))),
        json(admin.send('DELETE', `/v1/admin/keys/${client.keyId}`)),
      ]);
      expect(revoked.revoked_at).not.toBeNull();
      passMs(5_000);
      expect((await client.get('/v1/usage')).status).toBe(401);
      const again = await json(admin.send('DELETE', `/v1/admin/keys/${client.keyId}`));
      expect(again.revoked_at).toBe(revoked.revoked_at);
      expect(await audit(`subject_id=${client.keyId}&action=key.revoked`)).toHaveLength(1);
    });

    it('keep one with the scope admin, whichever of two revokes the other first', async () => {
      expect(await statusAndCode(admin.send('DELETE', `/v1/admin/keys/${adminId}`))).toEqual([
        409,
        'admin_key',
      ]);
      const second = await keys().create(adminAccount, 'second', { scopes: ['admin'] });
      const both = await Promise.all(
        [adminId, second.id].map((id) => admin.send('DELETE', `/v1/admin/keys/${id}`)),
      );
      expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
      const made = await keys().create(adminAccount, 'operator', { scopes: ['admin'] });
      admin = admin.withKey(made.key);
      adminId = made.id;
    });

    it('do not delete their own account', async () => {
      const deletion = admin.send('DELETE', `/v1/admin/accounts/${adminAccount}`);
      expect(await statusAndCode(deletion)).toEqual([409, 'account_state']);
    });
  });

  describe('a key with allowed_hosts', () => {
    let client: Client;
    let accountId: string;

    beforeAll(async () => {
      accountId = (await newAccount()).id;
      client = await newKey(accountId, { allowed_hosts: ['shop.example', '*.shop.example'] });
    });

    const refused = async (response: Promise<Response>, pointer: string): Promise<void> => {
      const { code, errors } = await json(response);
      expect([code, (errors as { pointer: string }[])[0]?.pointer]).toEqual(['target_forbidden', pointer]);
    };

    it('captures these hosts only, by whichever route', async () => {
      const other = { url: 'https://example.com/' };
      await refused(client.submit(other), '/url');
      await refused(client.capture(other), '/url');
      await refused(client.post('/v1/links', { ...other, expires_in_s: 60 }), '/url');
      await refused(
        client.post('/v1/monitors', { schedule: { every_s: 60 }, batch: { items: [PAGE, other] } }),
        '/batch/items/1/url',
      );
      const session = { name: 'x', origins: ['https://example.com'], state: { cookies: [], origins: [] } };
      await refused(client.post('/v1/sessions', session), '/origins/0');
      expect((await client.submit(PAGE)).status).toBe(202);
      expect((await client.submit({ url: 'https://a.b.shop.example./' })).status).toBe(202);
      await refused(client.submit({ url: 'https://notshop.example/' }), '/url');
    });

    it('gets rows of batches for other hosts back as faults', async () => {
      const json_ = { items: [PAGE, { url: 'https://example.com/' }], on_invalid: 'skip' };
      expect(await json(client.post('/v1/bulk/json', json_))).toMatchObject({
        rejected: 1,
        errors: [{ pointer: '/items/1/url', code: 'host_not_allowed' }],
      });
      const csv = await client.send('POST', '/v1/bulk/csv', {
        headers: { 'content-type': 'text/csv' },
        body: 'url\nhttps://example.com/\n',
      });
      expect(await json(csv)).toMatchObject({ status: 400, errors: [{ code: 'host_not_allowed', row: 1 }] });
    });

    it('has its captures held to these hosts, however they are asked for', async () => {
      await client.submit({ ...PAGE, allowed_hosts: ['shop.example', 'example.com'], reference: 'narrower' });
      await client.post('/v1/bulk/json', { items: [PAGE] });
      await client.post('/v1/monitors', { schedule: { every_s: 3_600 }, capture: PAGE });
      const login = { ...PAGE, actions: [{ type: 'click', selector: 'button' }] };
      await client.post('/v1/sessions', { name: 'held', origins: ['https://shop.example'], login });
      const check = { ...PAGE, selector: 'h1' };
      const given = { name: 'given', state: { cookies: [], origins: [] }, check };
      await client.post('/v1/sessions', { ...given, origins: ['https://shop.example'] });
      const { rows } = await api.database.query<{ held: string }>(
        `SELECT concat(coalesce(reference, 'row'), ' ', options->'allowed_hosts') AS held FROM jobs
          WHERE account_id = '${accountId}' AND status = 'queued' AND (batch_row IS NOT NULL OR reference = 'narrower')
         UNION SELECT 'page ' || (options->'allowed_hosts') FROM monitor_pages WHERE account_id = '${accountId}'
         UNION SELECT name || ' ' || (coalesce(log_in, session_check)->'allowed_hosts') FROM sessions WHERE account_id = '${accountId}' ORDER BY 1`,
      );
      const both = '["shop.example", "*.shop.example"]';
      expect(rows.map(({ held }) => held.replace('","', '", "'))).toEqual([
        ...[`given ${both}`, `held ${both}`, 'narrower ["shop.example"]', `page ${both}`, `row ${both}`],
      ]);
      const sender = { allowedHosts: ['shop.example'] };
      const { defaults } = api.app.get(CrawlRequestsService, { strict: false }).read(PAGE, sender);
      expect(defaults).toEqual({ allowed_hosts: ['shop.example'] });
    });

    it('cannot bring code, which could open other pages', async () => {
      await refused(client.submit({ html: '<iframe src="https://example.com/">' }), '/html');
      await refused(client.submit({ ...PAGE, js: 'location = "https://example.com/"' }), '/js');
    });
  });

  it('refuses a key with allowed_ips elsewhere, behind trusted proxies too', async () => {
    const { id } = await newAccount();
    const client = await newKey(id, { allowed_ips: ['203.0.113.0/24', '2001:db8::/32'] });
    const from = async (address: string) =>
      (await client.get('/v1/usage', { 'x-forwarded-for': address })).status;
    expect([await from('203.0.113.9'), await from('2001:db8::1'), await from('::ffff:203.0.113.9')]).toEqual([
      200, 200, 200,
    ]);
    expect(await from('198.51.100.1')).toBe(403);
    expect(await statusAndCode(client.get('/v1/usage'))).toEqual([403, 'address_forbidden']);
    // Only the last entry comes from the proxy.
    expect(await from('203.0.113.9, 198.51.100.1')).toBe(403);
    const forged = client.get('/v1/usage', { 'x-capture-origin': `${'x'.repeat(43)} 203.0.113.9` });
    expect((await forged).status).toBe(403);
  });

  it('signs no links with a key that lacks the scope, and ends those of a revoked one', async () => {
    const { id } = await newAccount();
    const reader = await newKey(id, { scopes: ['read'] });
    expect(await statusAndCode(reader.post('/v1/links', { ...PAGE, expires_in_s: 60 }))).toEqual([
      403,
      'scope_missing',
    ]);
    const signer = await newKey(id, { scopes: ['links'] });
    const { url } = await json(signer.post('/v1/links', { ...PAGE, expires_in_s: 60 }));
    await admin.send('DELETE', `/v1/admin/keys/${signer.keyId}`);
    expect(await statusAndCode(fetch(String(url)))).toEqual([403, 'signature_invalid']);
  });

  describe('audit', () => {
    it('names the address and the request, and no request changes it', async () => {
      const requestId = 'the-request-1';
      const made = await json(
        admin.post(
          '/v1/admin/accounts',
          { name: 'audited' },
          { 'x-request-id': requestId, 'x-forwarded-for': '203.0.113.7' },
        ),
      );
      const [event] = await audit(`subject_id=${String(made.id)}`);
      expect(event).toMatchObject({ actor: { address: '203.0.113.7', request_id: requestId }, before: null });
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
        for (const path of ['/v1/admin/audit', `/v1/admin/audit/${String(event?.id)}`]) {
          expect([404, 405]).toContain((await admin.send(method, path)).status);
        }
      }
    });

    it('has no event of a change that was rolled back', async () => {
      const before = await audit('limit=1');
      await admin.post('/v1/admin/accounts', { name: 'twice' });
      await admin.post('/v1/admin/keys', { account_id: adminAccount, scopes: ['admin'] });
      expect(await audit('limit=1')).toEqual(before);
    });

    it('is read page by page, and by its filters', async () => {
      const all: Json[] = [];
      let cursor = '';
      do {
        const page = await json(admin.get(`/v1/admin/audit?limit=7${cursor}`));
        all.push(...(page.items as Json[]));
        cursor = typeof page.next_cursor === 'string' ? `&cursor=${page.next_cursor}` : '';
      } while (cursor !== '');
      const { rows } = await api.database.query<{ events: number }>(
        `SELECT count(*)::int AS events FROM audit_events`,
      );
      expect(all).toHaveLength(rows[0]?.events ?? 0);
      expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
      expect((await audit('action=key.rotated')).every(({ action }) => action === 'key.rotated')).toBe(true);
      const commands = (await audit('action=key.created&limit=100')).map(({ actor }) => (actor as Json).kind);
      expect(new Set(commands)).toEqual(new Set(['key', 'command']));
    });
  });

  describe('usage', () => {
    it('is that of each account by day, as JSON and as CSV', async () => {
      const { id } = await newAccount({ name: '=used' });
      const client = await newKey(id);
      await client.submit(PAGE);
      await (await api.claim({ accountId: id })).succeed();
      const { items } = await json(admin.get(`/v1/admin/usage?account_id=${id}`));
      expect(items).toMatchObject([{ account_id: id, account: '=used', total: 1, used: 1, charged: 1 }]);
      const csv = await admin.get('/v1/admin/usage?format=csv');
      expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
      const lines = (await csv.text()).trim().split('\r\n');
      expect(lines[0]).toBe('account_id,account,day,total,used,charged,in_progress,cached,failed,canceled');
      const day = new Date().toISOString().slice(0, 10);
      expect(lines).toContain(`${id},'=used,${day},1,1,1,0,0,0,0`);
    });
  });

  it('is found on ADMIN_PORT alone, with or without a key', async () => {
    const port = await freePort();
    const apart = await startApi({ ADMIN_PORT: String(port) }, api);
    try {
      const there = admin.forApps({ url: `http://127.0.0.1:${port}` });
      expect((await there.get('/v1/admin/accounts')).status).toBe(200);
      expect((await there.get('/v1/version')).status).toBe(200);
      const here = admin.forApps(apart);
      expect(await statusAndCode(here.get('/v1/admin/accounts'))).toEqual([404, 'not_found']);
      expect(await statusAndCode(here.withKey(null).get('/v1/admin/keys/x'))).toEqual([404, 'not_found']);
      expect((await here.get('/v1/version')).status).toBe(200);
    } finally {
      await apart.close();
    }
  });

  it('is gone with ADMIN_API=false', async () => {
    const off = await startApi({ ADMIN_API: 'false' }, api);
    try {
      const made = await keys().create(adminAccount, 'elsewhere', {
        scopes: ['admin'],
      } satisfies KeySettings);
      const client = admin.withKey(made.key).forApps(off);
      expect(await statusAndCode(client.get('/v1/admin/accounts'))).toEqual([404, 'not_found']);
      await keys().revoke(made.id);
    } finally {
      await off.close();
    }
  });
});
