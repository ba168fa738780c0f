import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ApiKeysService } from '@app/auth';
import { Clock, ManualClock } from '@app/kernel';
import { startApi, type TestApi } from '../../../../test/support/api.js';
import { json } from '../../../../test/support/client.js';

const OWN = { 'x-capture-console': '1' };

describe('the console', () => {
  const clock = new ManualClock(new Date());
  let api: TestApi;
  let fresh: TestApi | undefined;
  let key: string;
  let keyId: string;

  beforeAll(async () => {
    api = await startApi({}, undefined, [[Clock, clock]]);
  });

  beforeEach(async () => {
    ({ apiKey: key } = await api.client());
    keyId = key.slice(4, 20);
  });

  afterAll(async () => {
    await fresh?.close();
    await api.close();
  });

  const call = (method: string, path: string, headers: Record<string, string> = {}, body?: object) =>
    fetch(new URL(path, api.url), {
      method,
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      redirect: 'manual',
    });
  const cookieOf = (response: Response): string =>
    (response.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const logIn = async (body: object = { key }, cookie = ''): Promise<string> => {
    const response = await call('POST', '/console/session', { ...OWN, ...(cookie && { cookie }) }, body);
    expect(response.status).toBe(200);
    return cookieOf(response);
  };
  const newLink = async (): Promise<string> => {
    const { url } = await json(call('POST', '/console/log-ins', { authorization: `Bearer ${key}` }));
    return String(url).split('#')[1] ?? '';
  };

  describe('logs in', () => {
    it('with a key, and acts as it', async () => {
      const cookie = await logIn();
      const session = await json(call('GET', '/console/session', { cookie }));
      const scopes = ['capture', 'read', 'links'];
      expect(session).toMatchObject({ keys: [{ id: keyId, scopes, account: { id: expect.any(String) } }] });
      const usage = await call('GET', `/console/keys/${keyId}/v1/usage`, { cookie });
      expect(await json(usage)).toMatchObject({ total: 1_000, used: 0 });
    });

    it('with a cookie that scripts cannot read and that only the console gets', async () => {
      const response = await call('POST', '/console/session', OWN, { key });
      const cookie = response.headers.get('set-cookie');
      expect(cookie).toMatch(/^capture_console=[\w-]{43}; /);
      for (const attribute of ['HttpOnly', 'SameSite=Strict', 'Path=/console', 'Max-Age=1209600']) {
        expect(cookie).toContain(attribute);
      }
      expect(JSON.stringify(await response.json())).not.toContain(key);
    });

    it('with a link once', async () => {
      const token = await newLink();
      const both = await Promise.all(
        [1, 2].map(() => call('POST', '/console/session', OWN, { log_in: token })),
      );
      expect(both.map(({ status }) => status).sort()).toEqual([200, 401]);
    });

    it('not with a link that is older than 10 minutes, or whose key is revoked', async () => {
      const old = await newLink();
      await api.database.query(`UPDATE console_log_ins SET expires_at = now() - interval '1 s'`);
      expect((await call('POST', '/console/session', OWN, { log_in: old })).status).toBe(401);
      const revoked = await newLink();
      await api.app.get(ApiKeysService, { strict: false }).revoke(keyId);
      expect((await call('POST', '/console/session', OWN, { log_in: revoked })).status).toBe(401);
    });

    it('not with a wrong key, or with two credentials at once', async () => {
      expect((await call('POST', '/console/session', OWN, { key: 'cap_wrong' })).status).toBe(401);
      const both = await call('POST', '/console/session', OWN, { key, log_in: 'x' });
      expect(await json(both)).toMatchObject({ status: 400, errors: [{ pointer: '/key' }] });
    });
  });

  it('keeps several accounts in one session, each with its own data', async () => {
    const other = await api.client({ allowance: 7 });
    const cookie = await logIn({ key: other.apiKey }, await logIn());
    const { keys } = (await json(call('GET', '/console/session', { cookie }))) as { keys: { id: string }[] };
    expect(keys).toHaveLength(2);
    const total = async (id: string) =>
      (await json(call('GET', `/console/keys/${id}/v1/usage`, { cookie }))).total;
    expect(await total(keyId)).toBe(1_000);
    expect(await total(other.apiKey.slice(4, 20))).toBe(7);
    const left = await call('DELETE', `/console/session/keys/${keyId}`, { cookie, ...OWN });
    expect(await json(left)).toMatchObject({ keys: [{ id: other.apiKey.slice(4, 20) }] });
    expect((await call('GET', `/console/keys/${keyId}/v1/usage`, { cookie })).status).toBe(401);
    expect(left.headers.get('set-cookie')).toBeNull();
    const last = await call('DELETE', `/console/session/keys/${other.apiKey.slice(4, 20)}`, {
      cookie,
      ...OWN,
    });
    expect(await json(last)).toMatchObject({ keys: [] });
    expect(last.headers.get('set-cookie')).toMatch(/capture_console=;.*1970/);
  });

  it('ends after 14 days, by the clock of the database', async () => {
    const cookie = await logIn();
    await api.database.query(
      `UPDATE console_session_keys SET expires_at = expires_at - interval '14 days' WHERE key_id = $1`,
      [keyId],
    );
    expect((await call('GET', `/console/keys/${keyId}/v1/usage`, { cookie })).status).toBe(401);
  });

  it('logs out at once', async () => {
    const cookie = await logIn();
    const response = await call('DELETE', '/console/session', { cookie, ...OWN });
    expect(response.status).toBe(204);
    expect(response.headers.get('set-cookie')).toMatch(/capture_console=;.*1970/);
    expect((await call('GET', `/console/keys/${keyId}/v1/usage`, { cookie })).status).toBe(401);
    expect(await json(call('GET', '/console/session', { cookie }))).toEqual({
      keys: [],
      has_single_sign_on: false,
    });
  });

  it('ends a session within 5 s of the revocation of its key', async () => {
    const cookie = await logIn();
    const usage = () => call('GET', `/console/keys/${keyId}/v1/usage`, { cookie });
    expect((await usage()).status).toBe(200);
    await api.app.get(ApiKeysService, { strict: false }).revoke(keyId);
    clock.set(new Date(clock.now().getTime() + 5_000));
    const refused = await usage();
    expect(refused.status).toBe(401);
    expect(await json(refused)).toMatchObject({
      code: 'unauthorized',
      detail: expect.stringContaining('log in again'),
    });
  });

  it('ends a stream of events after the log-out, without another event', async () => {
    const cookie = await logIn();
    const submitted = await json(
      call('POST', `/console/keys/${keyId}/v1/jobs`, { cookie, ...OWN }, { url: 'https://example.com/' }),
    );
    const id = String(submitted.id);
    const stream = await call('GET', `/console/keys/${keyId}/v1/jobs/${id}/events`, { cookie });
    expect(stream.status).toBe(200);
    await call('DELETE', '/console/session', { cookie, ...OWN });
    await call('DELETE', `/v1/jobs/${id}`, { authorization: `Bearer ${key}` });
    const text = await stream.text();
    expect(text).toContain('queued');
    expect(text).not.toContain('canceled');
  });

  it('takes its keys from a session before, whose token is no longer good for anything', async () => {
    const foreign = await api.client();
    const planted = await logIn({ key: foreign.apiKey });
    // The process knows the keys of a session that was just used, and must forget them at once.
    const used = await call('GET', `/console/keys/${foreign.apiKey.slice(4, 20)}/v1/usage`, {
      cookie: planted,
    });
    expect(used.status).toBe(200);
    const own = await logIn({ key }, planted);
    expect(own).not.toBe(planted);
    for (const id of [keyId, foreign.apiKey.slice(4, 20)]) {
      expect((await call('GET', `/console/keys/${id}/v1/usage`, { cookie: own })).status).toBe(200);
      expect((await call('GET', `/console/keys/${id}/v1/usage`, { cookie: planted })).status).toBe(401);
    }
  });

  it('holds 20 keys, of which each may log in again, and no other one', async () => {
    let cookie = await logIn();
    for (let n = 1; n < 20; n++) cookie = await logIn({ key: (await api.client()).apiKey }, cookie);
    const { apiKey } = await api.client();
    const refused = await call('POST', '/console/session', { ...OWN, cookie }, { key: apiKey });
    expect(await json(refused)).toMatchObject({
      status: 400,
      detail: 'A session holds at most 20 keys: log out of one first.',
    });
    const again = await logIn({ key }, cookie);
    const session = await json(call('GET', '/console/session', { cookie: again }));
    expect(session.keys).toHaveLength(20);
  });

  it('ends the oldest sessions of a key that has more than 1,000', async () => {
    await api.database.query(
      `INSERT INTO console_session_keys (token_sha256, key_id, expires_at)
       SELECT sha256(i::text::bytea), '${keyId}', now() + i * interval '1 min' FROM generate_series(1, 1500) AS i`,
    );
    const cookie = await logIn();
    expect((await call('GET', `/console/keys/${keyId}/v1/usage`, { cookie })).status).toBe(200);
    const { rows } = await api.database.query(
      `SELECT count(*)::int AS sessions, count(*) FILTER (WHERE expires_at < now() + interval '501.5 min')::int AS old
         FROM console_session_keys WHERE key_id = '${keyId}'`,
    );
    expect(rows).toEqual([{ sessions: 1_000, old: 0 }]);
  });

  it('says that an address is throttled, not that its session has ended', async () => {
    const [cookie, link] = [await logIn(), await newLink()];
    fresh = await startApi({ AUTH_FAILURES_PER_MINUTE: '2' }, api, [[Clock, clock]]);
    const ask = (path: string, init: RequestInit = {}) => fetch(`${fresh?.url}${path}`, init);
    const use = (token: string) =>
      ask('/console/session', {
        method: 'POST',
        headers: { ...OWN, 'content-type': 'application/json' },
        body: JSON.stringify({ log_in: token }),
      });
    const guesses = [];
    for (let i = 0; i < 4; i++) guesses.push((await use('x'.repeat(43))).status);
    expect(guesses).toEqual([401, 401, 429, 429]);
    // The only lookup of this second was taken by the guess.
    const session = await ask('/console/session', { headers: { cookie } });
    expect([session.status, (await json(session)).code]).toEqual([429, 'rate_limited']);
    expect((await use(link)).status).toBe(429);
    clock.set(new Date(clock.now().getTime() + 60_000));
    expect(await json(ask('/console/session', { headers: { cookie } }))).toMatchObject({
      keys: [{ id: keyId }],
    });
    expect((await use(link)).status).toBe(200);
  });

  it('lets no browser show what it has kept after the log-out', async () => {
    const cookie = await logIn();
    for (const path of ['/v1/usage', '/v1/captures/x/thumbnail', '/v1/captures/x/result', '/v1/devices']) {
      const { headers } = await call('GET', `/console/keys/${keyId}${path}`, { cookie });
      expect([path, headers.get('vary')]).toEqual([path, expect.stringContaining('Cookie')]);
    }
  });

  it('does not begin a session again under the cookie of one that has ended', async () => {
    const cookie = await logIn();
    await call('DELETE', '/console/session', { cookie, ...OWN });
    expect(await logIn({ key }, cookie)).not.toBe(cookie);
  });

  describe('is closed to other sites', () => {
    it('which cannot change anything without the header', async () => {
      const cookie = await logIn();
      const change = await call(
        'POST',
        `/console/keys/${keyId}/v1/jobs`,
        { cookie },
        { url: 'https://example.com' },
      );
      expect(change.status).toBe(401);
      expect(await json(change)).toMatchObject({ detail: expect.stringContaining('X-Capture-Console') });
      expect((await call('DELETE', '/console/session', { cookie })).status).toBe(401);
      expect((await call('POST', '/console/session', {}, { key })).status).toBe(401);
    });

    it('which make no account by the session of an operator', async () => {
      const { accountId } = await api.client();
      const admin = await api.app
        .get(ApiKeysService, { strict: false })
        .create(accountId, 'operator', { scopes: ['admin'] });
      const cookie = await logIn({ key: admin.key });
      const path = `/console/keys/${admin.id}/v1/admin/accounts`;
      // A form of another site has no header; a script of another site has it only with leave.
      const form = { cookie, 'content-type': 'text/plain', origin: 'https://evil.example' };
      const marked = { cookie, ...OWN, 'sec-fetch-site': 'cross-site' };
      for (const headers of [form, { cookie }, marked]) {
        expect((await call('POST', path, headers, { name: 'forged' })).status).toBe(401);
      }
      const names = await api.database.query(`SELECT FROM accounts WHERE name = 'forged'`);
      expect(names.rows).toEqual([]);
      expect((await call('POST', path, { cookie, ...OWN }, { name: 'own' })).status).toBe(201);
    });

    it.each(['cross-site', 'same-site'])('which browsers mark as %s', async (site) => {
      const cookie = await logIn();
      const headers = { cookie, ...OWN, 'sec-fetch-site': site };
      expect((await call('GET', `/console/keys/${keyId}/v1/usage`, headers)).status).toBe(401);
    });

    it('which get no leave to send the header', async () => {
      const preflight = await call('OPTIONS', `/console/keys/${keyId}/v1/jobs`, {
        origin: 'https://evil.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'x-capture-console',
      });
      expect(preflight.headers.get('access-control-allow-origin')).toBeNull();
    });
  });

  it('gives its cookie no power over the API itself', async () => {
    const cookie = await logIn();
    expect((await call('GET', '/v1/usage', { cookie, ...OWN })).status).toBe(401);
    expect((await call('GET', `/console/keys/${keyId}/docs`, { cookie })).status).not.toBe(200);
    expect((await call('POST', '/console/log-ins', { cookie, ...OWN })).status).toBe(401);
  });

  it('does not take its reading from the rate of the account', async () => {
    const slow = await api.client({ rate: 1, burst: 2 });
    const cookie = await logIn({ key: slow.apiKey });
    const id = slow.apiKey.slice(4, 20);
    for (let i = 0; i < 5; i++) {
      expect((await call('GET', `/console/keys/${id}/v1/usage`, { cookie })).status).toBe(200);
    }
    expect((await slow.get('/v1/usage')).status).toBe(200);
    const changes = [];
    for (let i = 0; i < 2; i++) {
      changes.push((await call('DELETE', `/console/keys/${id}/v1/jobs/${id}`, { cookie, ...OWN })).status);
    }
    expect(changes).toEqual([404, 429]);
  });

  it('reads 600 times at once and 50 times a second; a refusal says when it may read again', async () => {
    const cookie = await logIn();
    const read = () => call('GET', `/console/keys/${keyId}/v1/devices`, { cookie });
    const began = performance.now();
    let reads = 0;
    let refused: Response | undefined;
    while (!refused) {
      const some = await Promise.all(Array.from({ length: 50 }, read));
      reads += some.filter(({ status }) => status === 200).length;
      refused = some.find(({ status }) => status === 429);
    }
    const refilled = 50 * ((performance.now() - began) / 1_000);
    expect(reads).toBeGreaterThanOrEqual(600);
    expect(reads).toBeLessThanOrEqual(600 + Math.ceil(refilled));
    expect(refused.headers.get('retry-after')).toBe('1');
    expect((await json(refused)).detail).toBe('The console may read 3000 times a minute.');
  });

  it('sends a browser from / to the console, and answers a program with a problem', async () => {
    const browser = await call('GET', '/', { accept: 'text/html,*/*' });
    expect([browser.status, browser.headers.get('location')]).toEqual([302, '/console']);
    expect((await call('GET', '/')).status).toBe(404);
  });

  describe('serves its pages', () => {
    const page = (path = '/console') => call('GET', path, { accept: 'text/html' });
    const asset = async (): Promise<string> =>
      /src="(\/console\/assets\/[^"]+\.js)"/.exec(await (await page()).text())?.[1] ?? '';

    it('under a policy that allows nothing from elsewhere, with a new nonce each time', async () => {
      const [first, second] = [await page('/console/captures'), await page()];
      const policy = first.headers.get('content-security-policy') ?? '';
      expect(policy).toMatch(
        /^default-src 'none'; script-src 'self'; style-src 'self' 'nonce-[\w+/=]{24}'; /,
      );
      const [, nonce = ''] = /'nonce-([^']+)'/.exec(policy) ?? [];
      const html = await first.text();
      expect(html).toContain(`<meta property="csp-nonce" nonce="${nonce}">`);
      expect(html).not.toContain('__NONCE__');
      expect(second.headers.get('content-security-policy')).not.toBe(policy);
      expect(first.headers.get('cache-control')).toBe('no-cache');
    });

    it('with scripts that are compressed and never change', async () => {
      const script = await fetch(`${api.url}${await asset()}`);
      expect(script.headers.get('content-encoding')).toMatch(/^(br|gzip)$/);
      expect(script.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      for (const path of ['/console/assets/missing.js', '/console/no/such/asset.js']) {
        expect((await fetch(`${api.url}${path}`)).status).toBe(404);
      }
    });

    it('with the licences of what it contains', async () => {
      expect(await (await fetch(`${api.url}/console/licences.md`)).text()).toContain('react-dom');
    });

    it('which take at most 300 kB of compressed scripts for the first view', async () => {
      const scripts = (await (await page()).text()).match(/\/console\/assets\/[^"]+\.js/g) ?? [];
      const sizes = await Promise.all(
        scripts.map(async (path) => {
          const response = await fetch(`${api.url}${path}`, { headers: { 'accept-encoding': 'gzip' } });
          expect(response.headers.get('content-encoding')).toBe('gzip');
          return Number(response.headers.get('content-length'));
        }),
      );
      expect(sizes.length).toBeGreaterThan(0);
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(300_000);
    });
  });

  it('is not served with CONSOLE=false', async () => {
    const without = await startApi({ CONSOLE: 'false' }, api);
    for (const path of ['/console', '/console/session', '/console/assets/x.js']) {
      expect((await fetch(`${without.url}${path}`)).status).toBe(404);
    }
    expect((await fetch(`${without.url}/`, { headers: { accept: 'text/html' } })).status).toBe(404);
    await without.close();
  });
});
