import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AccountsService } from '@app/usage';
import { startApi, type TestApi } from '../../../../../test/support/api.js';
import { json } from '../../../../../test/support/client.js';
import { eventually } from '../../../../../test/support/eventually.js';
import { IdentityProvider } from '../../../../../test/support/identity-provider.js';
import { BrowserOverHttp } from '../../../../../test/support/browser-over-http.js';

const OWN = { 'x-capture-console': '1' };
const LIMITS = {
  allowance: 100,
  allowancePeriod: 'month',
  concurrency: 5,
  rate: 1_000,
  burst: 1_000,
} as const;
const START = '/console/session/oidc';

interface Session {
  readonly keys: { id: string; name: string; account: { name: string }; is_single_sign_on: boolean }[];
  readonly has_single_sign_on: boolean;
}

describe('single sign-on', () => {
  let api: TestApi;
  let provider: IdentityProvider;
  let browser: BrowserOverHttp;

  beforeAll(async () => {
    provider = await IdentityProvider.start();
    api = await startApi(
      provider.env(
        'admins:first:admin+read,designers:first:capture+read,designers:second:read,lost:gone:read',
      ),
    );
    for (const name of ['first', 'second']) {
      await api.app.get(AccountsService, { strict: false }).create({ name, ...LIMITS });
    }
    provider.register(api.url);
  });

  beforeEach(() => {
    browser = new BrowserOverHttp();
    provider.visitor = { name: 'alice', groups: ['designers', 'others'] };
  });

  afterAll(async () => {
    await api.close();
    await provider.close();
  });

  const at = (path: string): string => `${api.url}${path}`;
  /** Follows the log-in up to the address of the callback, which it does not open. */
  const upToCallback = async (start = START, change = (url: URL) => url): Promise<URL> => {
    const first = await browser.get(at(start));
    expect(first.status).toBe(303);
    const authorization = change(new URL(first.headers.get('location') ?? ''));
    return browser.followUntil(authorization, (url) => url.pathname === `${START}/callback`);
  };
  const logIn = async (): Promise<Response> => browser.get(await upToCallback());
  const session = async (): Promise<Session> =>
    (await json(browser.get(at('/console/session')))) as unknown as Session;
  const page = async (response: Promise<Response> | Response): Promise<[number, string]> => {
    const { status, headers } = await response;
    expect(headers.get('content-type')).toContain('text/html');
    return [status, await (await response).text()];
  };

  it('logs in by the groups of the person, with the scopes of all of them', async () => {
    provider.visitor = { name: 'alice', groups: ['admins', 'designers'] };
    const response = await logIn();
    expect([response.status, response.headers.get('location')]).toEqual([303, '/console/']);
    const cookie = response.headers.getSetCookie().find((each) => each.startsWith('capture_console='));
    for (const attribute of ['HttpOnly', 'SameSite=Strict', 'Path=/console'])
      expect(cookie).toContain(attribute);
    const { keys, has_single_sign_on } = await session();
    expect(has_single_sign_on).toBe(true);
    expect(keys.map(({ name, account }) => [name, account.name]).sort()).toEqual([
      ['alice', 'first'],
      ['alice', 'second'],
    ]);
    const { rows } = await api.database.query(
      `SELECT scopes FROM api_keys WHERE person = '${provider.issuer} alice' AND revoked_at IS NULL ORDER BY scopes`,
    );
    expect(rows).toEqual([{ scopes: ['capture', 'read', 'admin'] }, { scopes: ['read'] }]);
  });

  it('lets an admin manage accounts and keys, and others not', async () => {
    provider.visitor = { name: 'bob', groups: ['admins'] };
    await logIn();
    const ask = async (path: string): Promise<number> => {
      const { keys } = await session();
      return (await browser.get(at(`/console/keys/${keys[0]?.id ?? ''}${path}`))).status;
    };
    expect([await ask('/v1/admin/keys'), await ask('/v1/usage')]).toEqual([200, 200]);
    browser = new BrowserOverHttp();
    provider.visitor = { name: 'carol', groups: ['designers'] };
    await logIn();
    expect([await ask('/v1/admin/keys'), await ask('/v1/usage')]).toEqual([403, 200]);
  });

  it.each(['client_secret_post', 'none'] as const)(
    'logs in where the provider accepts clients by %s only',
    async (method) => {
      const other = await IdentityProvider.start();
      const env = other.env('designers:first:read');
      const own = await startApi(method === 'none' ? { ...env, OIDC_CLIENT_SECRET: '' } : env, api);
      try {
        other.registerWith(method, [own.url]);
        other.visitor = { name: 'dora', groups: ['designers'] };
        const { headers } = await browser.get(`${own.url}${START}`);
        const authorization = new URL(headers.get('location') ?? '');
        expect(authorization.searchParams.get('code_challenge_method')).toBe('S256');
        const callback = await browser.followUntil(
          authorization,
          (url) => url.pathname === `${START}/callback`,
        );
        expect((await browser.get(callback)).headers.get('location')).toBe('/console/');
        expect((await json(browser.get(`${own.url}/console/session`))).keys).toHaveLength(1);
      } finally {
        await own.close();
        await other.close();
      }
    },
  );

  it('leads back to the page that the person came from', async () => {
    const callback = await upToCallback(`${START}?to=${encodeURIComponent('/captures?status=failed')}`);
    const response = await browser.get(callback);
    expect(response.headers.get('location')).toBe('/console/captures?status=failed');
  });

  it.each([
    'https://evil.example',
    '//evil.example/..',
    '/\\evil.example',
    '/../v1/usage',
    '/%2e%2e/docs',
    'captures',
    '',
  ])('leads nowhere but to pages of the console: %s', async (to) => {
    const response = await browser.get(at(`${START}?to=${encodeURIComponent(to)}`));
    const location = response.headers.get('location');
    if (location === null) expect(response.status).toBe(400);
    else {
      const back = await browser.get(
        await browser.followUntil(new URL(location), ({ pathname }) => pathname === `${START}/callback`),
      );
      expect(new URL(back.headers.get('location') ?? '', api.url).href).toMatch(`${api.url}/console/`);
    }
  });

  it('shows a plain page to a person without a group that is mapped, and begins no session', async () => {
    provider.visitor = { name: '<b>dave</b>', groups: ['others', 'lost'] };
    const [status, text] = await page(logIn());
    expect(status).toBe(403);
    expect(text).toContain('as &lt;b&gt;dave&lt;/b&gt;, but none of your groups may use this service');
    expect((await session()).keys).toEqual([]);
  });

  it('says that the provider has refused', async () => {
    provider.visitor = null;
    expect(await page(logIn())).toEqual([403, expect.stringContaining('did not log you in (access_denied)')]);
  });

  describe('refuses', () => {
    const refused = async (response: Promise<Response>, reason: string): Promise<void> => {
      expect(await page(response)).toEqual([400, expect.stringContaining(reason)]);
      expect((await session()).keys).toEqual([]);
    };

    it('another state', async () => {
      const callback = await upToCallback();
      callback.searchParams.set('state', 'of-another-log-in');
      await refused(browser.get(callback), 'does not belong to this log-in');
    });

    it('another nonce', async () => {
      const callback = await upToCallback(START, (url) => {
        url.searchParams.set('nonce', 'of-another-log-in');
        return url;
      });
      await refused(browser.get(callback), 'does not belong to this log-in');
    });

    it('the code of another person, for which the browser has no verifier', async () => {
      const stolen = await upToCallback();
      browser = new BrowserOverHttp();
      const own = await upToCallback();
      own.searchParams.set('code', stolen.searchParams.get('code') ?? '');
      await refused(browser.get(own), 'has expired or was finished before');
    });

    it('a code that was used', async () => {
      const callback = await upToCallback();
      const cookies = [...browser.cookiesOf(api.url)].map(([name, value]) => `${name}=${value}`).join('; ');
      expect((await browser.get(callback)).status).toBe(303);
      browser = new BrowserOverHttp();
      await refused(
        browser.get(callback, { headers: { cookie: cookies } }),
        'has expired or was finished before',
      );
    });

    it('a log-in that this browser did not begin', async () => {
      const callback = await upToCallback();
      browser = new BrowserOverHttp();
      await refused(browser.get(callback), 'was begun in another browser');
    });

    it('a cookie that was changed', async () => {
      const callback = await upToCallback();
      const sealed = browser.cookiesOf(api.url).get('capture_console_oidc') ?? '';
      browser.cookiesOf(api.url).set('capture_console_oidc', `A${sealed.slice(1, -2)}AA`);
      await refused(browser.get(callback), 'was begun in another browser');
    });

    it('an ID token that the provider has not signed', async () => {
      const other = await startApi(provider.env('designers:first:read'), api);
      try {
        provider.register(other.url);
        provider.isForged = true;
        const first = await browser.get(`${other.url}${START}`);
        const start = new URL(first.headers.get('location') ?? '');
        const callback = await browser.followUntil(start, ({ pathname }) => pathname === `${START}/callback`);
        await refused(browser.get(callback), 'does not belong to this log-in');
      } finally {
        provider.isForged = false;
        provider.register(api.url);
        await other.close();
      }
    });

    it('to begin or to end where another site leads', async () => {
      for (const path of [START, `${START}/log-out`]) {
        const { status } = await browser.get(at(path), { headers: { 'sec-fetch-site': 'cross-site' } });
        expect([path, status]).toEqual([path, 401]);
      }
    });
  });

  it('changes nothing without the header of the console', async () => {
    await logIn();
    const { keys } = await session();
    const path = at(`/console/keys/${keys[0]?.id ?? ''}/v1/captures/x`);
    expect((await browser.get(path, { method: 'DELETE' })).status).toBe(401);
    expect((await browser.get(path, { method: 'DELETE', headers: OWN })).status).toBe(404);
  });

  it('ends after OIDC_SESSION_S', async () => {
    provider.visitor = { name: 'erin', groups: ['admins'] };
    await logIn();
    const { rows } = await api.database.query(
      `SELECT round(extract(epoch FROM expires_at - added_at))::int AS life FROM console_session_keys
        WHERE key_id = (SELECT id FROM api_keys WHERE person LIKE '% erin')`,
    );
    expect(rows).toEqual([{ life: 28_800 }]);
  });

  it('keeps the keys of a person, and revokes those of a group that the person has left', async () => {
    provider.visitor = { name: 'frank', groups: ['admins', 'designers'] };
    await logIn();
    const before = await session();
    const first = browser;
    browser = new BrowserOverHttp();
    await logIn();
    expect((await session()).keys).toEqual(before.keys);
    browser = new BrowserOverHttp();
    provider.visitor = { name: 'frank', groups: ['admins'] };
    await logIn();
    expect((await session()).keys.map(({ account }) => account.name)).toEqual(['first']);
    browser = new BrowserOverHttp();
    provider.visitor = { name: 'frank', groups: [] };
    expect((await logIn()).status).toBe(403);
    const { rows } = await api.database.query(
      `SELECT id FROM api_keys WHERE person LIKE '% frank' AND revoked_at IS NULL`,
    );
    expect(rows).toEqual([]);
    browser = first;
    await eventually('the first session has ended', async () => (await session()).keys.length === 0);
  });

  it('makes one key for an account when a person logs in twice at once', async () => {
    provider.visitor = { name: 'ivan', groups: ['admins'] };
    const callbacks = [];
    for (const each of [new BrowserOverHttp(), new BrowserOverHttp()]) {
      browser = each;
      callbacks.push([each, await upToCallback()] as const);
    }
    const answers = await Promise.all(callbacks.map(([each, callback]) => each.get(callback)));
    expect(answers.map(({ status }) => status)).toEqual([303, 303]);
    const { rows } = await api.database.query(`SELECT id FROM api_keys WHERE person LIKE '% ivan'`);
    expect(rows).toHaveLength(1);
  });

  it('has keys whose secret nobody gets by a rotation, and whose limits nobody changes', async () => {
    provider.visitor = { name: 'judy', groups: ['admins', 'designers'] };
    await logIn();
    const { keys } = await session();
    const admin = keys.find(({ account }) => account.name === 'first')?.id ?? '';
    const plain = keys.find(({ account }) => account.name === 'second')?.id ?? '';
    const rotation = at(`/console/keys/${admin}/v1/admin/keys/${plain}/rotate`);
    const headers = { ...OWN, 'content-type': 'application/json' };
    expect((await browser.get(rotation, { method: 'POST', headers, body: '{}' })).status).toBe(404);
    const key = at(`/console/keys/${admin}/v1/admin/keys/${plain}`);
    const body = JSON.stringify({ name: 'mine' });
    expect((await browser.get(key, { method: 'PATCH', headers, body })).status).toBe(404);
    expect(await json(browser.get(key))).toMatchObject({ name: 'judy', is_single_sign_on: true });
  });

  it('records whose keys it makes and revokes', async () => {
    provider.visitor = { name: 'grace', groups: ['admins'] };
    await logIn();
    browser = new BrowserOverHttp();
    provider.visitor = { name: 'grace', groups: [] };
    await logIn();
    const { rows } = await api.database.query(
      `SELECT action, actor FROM audit_events WHERE actor->>'key_name' = 'grace' ORDER BY at`,
    );
    const actor = {
      kind: 'sign_on',
      key_name: 'grace',
      address: '127.0.0.1',
      key_id: null,
      account_id: null,
    };
    expect(rows).toEqual([
      { action: 'key.created', actor: expect.objectContaining(actor) },
      { action: 'key.revoked', actor: expect.objectContaining(actor) },
    ]);
  });

  it('does not count as the last key with the scope admin', async () => {
    const { apiKey } = await api.client({}, ['admin']);
    provider.visitor = { name: 'heidi', groups: ['admins'] };
    await logIn();
    const { keys } = await session();
    const key = at(`/console/keys/${keys[0]?.id ?? ''}/v1/admin/keys/${apiKey.slice(4, 20)}`);
    expect((await browser.get(key, { method: 'DELETE', headers: OWN })).status).toBe(409);
  });

  it('adds to the session of a key, which stays', async () => {
    const { apiKey } = await api.client();
    await browser.get(at('/console/session'), {
      method: 'POST',
      headers: { ...OWN, 'content-type': 'application/json' },
      body: JSON.stringify({ key: apiKey }),
    });
    await logIn();
    expect((await session()).keys.map(({ is_single_sign_on: is }) => is).sort()).toEqual([false, true, true]);
  });

  it('says that a provider does not answer, and works once it does', async () => {
    const away = await IdentityProvider.start();
    const env = away.env('designers:first:read');
    await away.close();
    const other = await startApi(env, api);
    try {
      expect(await page(browser.get(`${other.url}${START}`))).toEqual([
        502,
        expect.stringContaining('does not answer'),
      ]);
    } finally {
      await other.close();
    }
  });

  it('throttles an address whose log-ins fail', async () => {
    const strict = await startApi(
      { ...provider.env('designers:first:read'), AUTH_FAILURES_PER_MINUTE: '2' },
      api,
    );
    try {
      const statuses = [];
      for (let i = 0; i < 4; i++)
        statuses.push((await fetch(`${strict.url}${START}/callback?code=x`)).status);
      expect(statuses.slice(0, 2)).toEqual([400, 400]);
      expect(statuses.at(-1)).toBe(429);
    } finally {
      await strict.close();
    }
  });

  it('is not there without OIDC_ISSUER', async () => {
    const without = await startApi({}, api);
    try {
      for (const path of [START, `${START}/callback?code=x&state=y`, `${START}/log-out`]) {
        expect((await fetch(`${without.url}${path}`)).status).toBe(404);
      }
    } finally {
      await without.close();
    }
  });
});
