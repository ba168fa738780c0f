import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApi, type TestApi } from '../../../../test/support/api.js';
import { json } from '../../../../test/support/client.js';

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
});
