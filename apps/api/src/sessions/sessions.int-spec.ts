import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SessionRepository } from '@app/sessions';
import { startApi, type TestApi } from '../../../../test/support/api.js';
import { json, type Client } from '../../../../test/support/client.js';

const LIMIT = 3;
const SHOP = 'https://shop.example';

describe('/v1/sessions', () => {
  let api: TestApi;

  beforeAll(async () => {
    api = await startApi({ SESSIONS_PER_ACCOUNT: String(LIMIT) });
  });

  afterAll(() => api.close());

  it('refuses more sessions than the account may have, also at once and for its first ones', async () => {
    const client = await api.client();
    const state = { cookies: [], origins: [] };
    const names = Array.from({ length: 3 * LIMIT }, (_, i) => `session-${i}`);
    const answers = await Promise.all(
      names.map((name) => client.post('/v1/sessions', { name, origins: [SHOP], state })),
    );
    const refused = answers.filter(({ status }) => status !== 201);
    expect(answers.length - refused.length).toBe(LIMIT);
    const problems = await Promise.all(
      refused.map(async (answer) => [answer.status, (await json(answer)).code]),
    );
    expect(problems).toEqual(refused.map(() => [409, 'limit_reached']));
    const { items } = await json(client.get('/v1/sessions'));
    expect(items).toHaveLength(LIMIT);
  });

  describe('that are asked for with a bad value', () => {
    const state = { cookies: [], origins: [] };
    const click = { type: 'click', selector: 'a' };
    const login = { url: `${SHOP}/log-in`, actions: [click] };
    const check = { url: `${SHOP}/account`, selector: '.account' };
    const many = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item);

    it.each<[string, object]>([
      ['/name required', { name: undefined }],
      ['/name invalid_value', { name: 'my shop' }],
      ['/name wrong_length', { name: 'a'.repeat(65) }],
      ['/origins required', { origins: [] }],
      ['/origins wrong_type', { origins: SHOP }],
      ['/origins too_many', { origins: many(11, SHOP) }],
      ['/origins invalid_value', { origins: ['ftp://shop.example'] }],
      ['/keep_alive_s out_of_range', { keep_alive_s: 9 }],
      ['/keep_alive_s wrong_type', { keep_alive_s: '900' }],
      ['/expires_in_s out_of_range', { expires_in_s: 59 }],
      ['/expires_in_s out_of_range', { expires_in_s: 366 * 86_400 }],
      ['/state wrong_type', { state: [] }],
      ['/state/cookies wrong_type', { state: { ...state, cookies: {} } }],
      [
        '/state/origins/0/localStorage wrong_length',
        {
          state: {
            ...state,
            origins: [{ origin: SHOP, localStorage: [{ name: 'a', value: 'a'.repeat(1_000_001) }] }],
          },
        },
      ],
      ['/login wrong_type', { login: 'https://shop.example' }],
      ['/login/url invalid_value', { login: { ...login, url: 'file:///etc/passwd' } }],
      ['/login/actions too_many', { login: { ...login, actions: many(29, click) } }],
      [
        '/login/actions/0/secret invalid_value',
        { login: { ...login, actions: [{ type: 'fill', selector: 'a', secret: 'b' }] } },
      ],
      ['/login/secrets wrong_type', { login: { ...login, secrets: { password: 7 } } }],
      ['/login/secrets invalid_value', { login: { ...login, secrets: { password: 'abc' } } }],
      ['/check/selector required', { check: { url: check.url } }],
      ['/check/selector wrong_length', { check: { ...check, selector: 'a'.repeat(1_001) } }],
    ])('refuses it with %s', async (fault, more) => {
      const client = await api.client();
      const request = { name: 'shop', origins: [SHOP], ...('login' in more ? {} : { state }), ...more };
      const answer = await client.post('/v1/sessions', request);
      const { errors } = await json(answer);
      const faults = (errors as { pointer: string; code: string }[]).map(
        ({ pointer, code }) => `${pointer} ${code}`,
      );
      expect([answer.status, faults]).toEqual([400, [fault]]);
    });

    it.each([
      [{ session: 'my shop' }, '/session'],
      [{ session: 7 }, '/session'],
      [{ session_save: true }, '/session_save'],
      [{ session: 'shop', session_save: 'yes' }, '/session_save'],
      [{ session_share: true }, '/session_share'],
      [{ session: 'shop', session_share: 1 }, '/session_share'],
      [{ session: 'shop', session_share: true, session_save: true }, '/session_share'],
      [{ session: 'shop', session_share: true, cookies: [{ name: 'a', value: 'b' }] }, '/session_share'],
      [{ session: 'shop', session_share: true, headers: { 'x-a': 'b' } }, '/session_share'],
      [{ url: undefined, html: '<p>', session: 'shop' }, '/session'],
    ])('refuses a capture with %j', async (options, pointer) => {
      const client = await api.client();
      const answer = await client.post('/v1/jobs', { url: `${SHOP}/`, ...options });
      expect([answer.status, (await json(answer)).errors]).toMatchObject([400, [{ pointer }]]);
    });

    it('refuses a signed link with a session', async () => {
      const client = await api.client();
      const answer = await client.post('/v1/links', { url: `${SHOP}/`, session: 'shop', expires_in_s: 60 });
      expect([answer.status, (await json(answer)).errors]).toMatchObject([400, [{ pointer: '/session' }]]);
    });
  });

  describe('that are over', () => {
    const state = { cookies: [{ name: 'a', value: 'secret', domain: 'shop.example' }], origins: [] };
    const fill = { type: 'fill', selector: '#password', secret: 'password' };
    const login = { url: `${SHOP}/log-in`, actions: [fill], secrets: { password: 'hunter2-of-shop' } };
    const check = { url: `${SHOP}/account`, selector: '.account' };

    const make = async (client: Client, more: object): Promise<string> => {
      const answer = await client.post('/v1/sessions', { name: 'shop', origins: [SHOP], ...more });
      return String((await json(answer)).id);
    };
    const use = async (client: Client, session: string): Promise<unknown[]> => {
      const answer = await client.post('/v1/jobs', { url: `${SHOP}/`, session });
      return [answer.status, (await json(answer)).code];
    };
    const column = async (id: string, name: string): Promise<unknown> => {
      const { rows } = await api.database.query<Record<string, unknown>>(
        `SELECT ${name} FROM sessions WHERE id = $1`,
        [id],
      );
      return rows[0]?.[name];
    };

    it('refuse captures once revoked, hold nothing secret, and leave their place and name to others', async () => {
      const client = await api.client();
      const ids: string[] = [];
      for (let i = 0; i <= LIMIT; i++) {
        const id = await make(client, i === 0 ? { login, check } : { state });
        expect(await column(id, i === 0 ? 'secrets' : 'state')).not.toBeNull();
        expect((await client.send('DELETE', `/v1/sessions/${id}`)).ok).toBe(true);
        ids.push(id);
      }
      for (const id of ids) {
        expect(await use(client, id)).toEqual([409, 'session_not_ready']);
        expect([await column(id, 'secrets'), await column(id, 'state')]).toEqual([null, null]);
      }
      expect(await use(client, await make(client, { state }))).toEqual([202, undefined]);
    });

    it('refuse captures from the moment on at which they expire', async () => {
      const client = await api.client();
      const id = await make(client, { state });
      expect(await use(client, 'shop')).toEqual([202, undefined]);
      await api.database.query(`UPDATE sessions SET expires_at = now() - interval '1 s' WHERE id = $1`, [id]);
      expect(await use(client, 'shop')).toEqual([409, 'session_not_ready']);
      expect(await json(client.get(`/v1/sessions/${id}`))).toMatchObject({ status: 'expired' });
      expect(await api.app.get(SessionRepository, { strict: false }).expire()).toBe(1);
      expect([await column(id, 'status'), await column(id, 'state')]).toEqual(['expired', null]);
    });
  });
});
