import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AccountsService } from '@app/usage';
import { decodeJwt } from 'jose';
import { startApi, type TestApi } from '../../../../../test/support/api.js';
import { json } from '../../../../../test/support/client.js';
import { eventually } from '../../../../../test/support/eventually.js';
import { CLIENT, IdentityProvider } from '../../../../../test/support/identity-provider.js';
import { BrowserOverHttp } from '../../../../../test/support/browser-over-http.js';
import { SignOnSessionsService } from './sign-on-sessions.service.js';

const LIMITS = {
  allowance: 100,
  allowancePeriod: 'month',
  concurrency: 5,
  rate: 1_000,
  burst: 1_000,
} as const;
const START = '/console/session/oidc';
const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };

describe('the log-out of single sign-on', () => {
  let api: TestApi;
  let provider: IdentityProvider;

  beforeAll(async () => {
    provider = await IdentityProvider.start();
    api = await startApi(provider.env('designers:first:capture+read,designers:second:read'));
    for (const name of ['first', 'second']) {
      await api.app.get(AccountsService, { strict: false }).create({ name, ...LIMITS });
    }
  });

  beforeEach(() => nameSessions(false));

  afterAll(async () => {
    await api.close();
    await provider.close();
  });

  const at = (path: string): string => `${api.url}${path}`;
  const nameSessions = (namesSessions: boolean): void => {
    provider.namesSessions = namesSessions;
    provider.register(api.url);
  };
  /** Another browser, in which a person has logged in. */
  const logIn = async (name: string): Promise<BrowserOverHttp> => {
    provider.visitor = { name, groups: ['designers'] };
    const browser = new BrowserOverHttp();
    const isCallback = ({ pathname }: URL) => pathname === `${START}/callback`;
    await browser.get(await browser.followUntil(new URL(at(START)), isCallback));
    expect(await keysIn(browser)).toBe(2);
    return browser;
  };
  const keysIn = async (browser: BrowserOverHttp): Promise<number> =>
    ((await json(browser.get(at('/console/session')))) as unknown as { keys: unknown[] }).keys.length;
  const hasEnded = (browser: BrowserOverHttp): Promise<unknown> =>
    eventually('the session has ended', async () => (await keysIn(browser)) === 0);
  const storedOf = async (name: string): Promise<Record<string, unknown>[]> =>
    (
      await api.database.query<Record<string, unknown>>(
        `SELECT provider_session, id_token FROM console_session_keys JOIN api_keys ON id = key_id WHERE person LIKE '% ${name}'`,
      )
    ).rows;
  const leave = async (browser: BrowserOverHttp): Promise<URL> =>
    new URL((await browser.get(at(`${START}/log-out`))).headers.get('location') ?? '');
  const send = (token: string): Promise<Response> =>
    fetch(at(`${START}/back-channel`), {
      method: 'POST',
      body: new URLSearchParams({ logout_token: token }),
    });
  /** Logs out at the provider, which sends its client a log-out token. */
  const logOutThere = async (browser: BrowserOverHttp): Promise<void> => {
    const address = `${provider.issuer}/session/end`;
    const question = await (await browser.get(address)).text();
    const [, xsrf = ''] = /name="xsrf" value="([^"]+)"/.exec(question) ?? [];
    const told = provider.onceTold();
    const confirmed = await browser.get(`${address}/confirm`, {
      method: 'POST',
      body: new URLSearchParams({ xsrf, logout: 'yes' }),
    });
    expect(confirmed.status).toBe(303);
    await told;
  };

  it('ends the session here, and leads to the provider with the ID token of the log-in', async () => {
    const browser = await logIn('alice');
    const address = await leave(browser);
    expect(address.origin).toBe(provider.issuer);
    expect(address.searchParams.get('post_logout_redirect_uri')).toBe(at('/console'));
    const hint = address.searchParams.get('id_token_hint') ?? '';
    expect(decodeJwt(hint)).toMatchObject({ iss: provider.issuer, aud: CLIENT.id, sub: 'alice' });
    expect(browser.cookiesOf(api.url).has('capture_console')).toBe(false);
    expect(await storedOf('alice')).toEqual([]);
    const question = await browser.get(address);
    expect([question.status, await question.text()]).toEqual([
      200,
      expect.stringContaining('Log out at the provider'),
    ]);
    // The provider reads the token.
    address.searchParams.set('id_token_hint', `${hint.slice(0, -4)}AAAA`);
    expect((await browser.get(address)).status).toBe(400);
  });

  it('leads to the provider with the token of the person who logged in last', async () => {
    const browser = await logIn('bea');
    const isCallback = ({ pathname }: URL) => pathname === `${START}/callback`;
    browser.cookiesOf(provider.issuer).clear();
    provider.visitor = { name: 'carl', groups: ['designers'] };
    await browser.get(await browser.followUntil(new URL(at(START)), isCallback));
    expect(await keysIn(browser)).toBe(4);
    const hint = (await leave(browser)).searchParams.get('id_token_hint') ?? '';
    expect(decodeJwt(hint).sub).toBe('carl');
  });

  it('keeps the ID token encrypted, and none that is too long for an address', async () => {
    await logIn('dan');
    const stored = await storedOf('dan');
    expect(stored).toHaveLength(2);
    for (const { id_token } of stored) {
      // The header of a token in base64, as all of them begin.
      expect((id_token as Buffer).length).toBeGreaterThan(200);
      expect((id_token as Buffer).toString('latin1')).not.toContain('eyJ');
    }
    const { rows } = await api.database.query(`SELECT id FROM api_keys WHERE person LIKE '% dan' LIMIT 1`);
    const sessions = api.app.get(SignOnSessionsService, { strict: false });
    const enter = (idToken: string) =>
      sessions.enter([String(rows[0]?.id)], undefined, { session: null, idToken });
    const [short = '', long = ''] = [await enter('x'.repeat(3_000)), await enter('x'.repeat(3_001))];
    expect([await sessions.end(short), await sessions.end(long)]).toEqual(['x'.repeat(3_000), undefined]);
  });

  it('ends the session when the provider does not answer, or when SECRETS_KEY is another one', async () => {
    const away = await IdentityProvider.start();
    await away.close();
    const otherKey = Buffer.alloc(32, 'k').toString('base64');
    for (const [env, status] of [
      [away.env('designers:first:read'), 502],
      [{ ...provider.env('designers:first:read'), SECRETS_KEY: otherKey }, 303],
    ] as const) {
      const browser = await logIn('eve');
      const cookie = `capture_console=${browser.cookiesOf(api.url).get('capture_console') ?? ''}`;
      const other = await startApi(env, api);
      try {
        const answer = await fetch(`${other.url}${START}/log-out`, {
          headers: { cookie },
          redirect: 'manual',
        });
        expect(answer.status).toBe(status);
        expect(answer.headers.get('location') ?? '').not.toContain('id_token_hint');
        expect(await storedOf('eve')).toEqual([]);
      } finally {
        await other.close();
      }
    }
  });

  it('ends no session where another site leads', async () => {
    const browser = await logIn('finn');
    const { status } = await browser.get(at(`${START}/log-out`), {
      headers: { 'sec-fetch-site': 'cross-site' },
    });
    expect([status, await keysIn(browser)]).toEqual([401, 2]);
  });

  it('ends all sessions of a person when the provider names none of its own', async () => {
    const [first, second] = [await logIn('gina'), await logIn('gina')];
    const other = await logIn('hugo');
    await logOutThere(first);
    await hasEnded(first);
    await hasEnded(second);
    expect(await keysIn(other)).toBe(2);
  });

  it('ends those of the session that the provider names', async () => {
    nameSessions(true);
    const [first, second] = [await logIn('iris'), await logIn('iris')];
    await logOutThere(first);
    await hasEnded(first);
    expect([await keysIn(second), (await storedOf('iris')).length]).toEqual([2, 2]);
  });

  it('ends by a token with the name of a session and without a person', async () => {
    nameSessions(true);
    const [first, second] = [await logIn('jack'), await logIn('jack')];
    const sid = decodeJwt((await leave(first)).searchParams.get('id_token_hint') ?? '').sid;
    const [stored] = await storedOf('jack');
    const known = String(stored?.provider_session).replace(`${provider.issuer} `, '');
    const tellOf = async (session: unknown): Promise<number> =>
      (await send(await provider.sign({ events, sub: undefined, sid: session }))).status;
    expect(await tellOf(sid)).toBe(200);
    expect((await storedOf('jack')).length).toBe(2);
    expect(await tellOf(known)).toBe(200);
    await hasEnded(second);
  });

  it('ends those of the person of which no session of the provider is known', async () => {
    const browser = await logIn('kim');
    expect((await send(await provider.sign({ events, sub: 'kim', sid: 'any' }))).status).toBe(200);
    await hasEnded(browser);
  });

  it('ends by no other token than one for a log-out', async () => {
    const browser = await logIn('alice');
    const tokens = [
      '',
      'x.y.z',
      await provider.sign({ nonce: 'of an ID token' }),
      await provider.sign({ events, nonce: 'of an ID token' }),
      await provider.sign({ events, aud: 'another client' }),
      await provider.sign({ events, iss: 'https://evil.example' }),
      await provider.sign({ events, sub: undefined }),
      await provider.sign({ events, sub: undefined, sid: 7 }),
    ];
    for (const token of tokens) {
      const answer = await send(token);
      expect([answer.status, (await json(answer)).code]).toEqual([400, 'invalid_request']);
    }
    expect((await storedOf('alice')).length).toBe(2);
    expect((await send(await provider.sign({ events }))).status).toBe(200);
    await hasEnded(browser);
  });
});
