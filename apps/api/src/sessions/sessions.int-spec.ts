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
