import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiKeysService } from '@app/auth';
import { AppError } from '@app/kernel';
import { startApi, type TestApi } from '../../../../test/support/api.js';
import type { Json } from '../../../../test/support/client.js';
import { eventually } from '../../../../test/support/eventually.js';
import { ToolUser } from '../../../../test/support/mcp.js';

const ORIGIN = 'https://shop.example';
const STATE = { name: 'shop', origins: [ORIGIN], state: { cookies: [] } };

describe('sessions over MCP', () => {
  let api: TestApi;
  let user: ToolUser;
  let keyId: string;
  let accountId: string;

  beforeAll(async () => {
    api = await startApi();
    ({ accountId } = await api.client());
    const made = await keys().create(accountId, 'agent');
    keyId = made.id;
    user = await ToolUser.overHttp({ url: api.url, key: made.key, era: 'legacy' });
  });

  afterAll(async () => {
    await user.close();
    await api.close();
  });

  const keys = (): ApiKeysService => api.app.get(ApiKeysService, { strict: false });
  const creation = async () =>
    (await user.client.listTools()).tools.find(({ name }) => name === 'create_session');

  it('are listed for every key, and made only with one that the operator permits', async () => {
    expect((await user.call('list_sessions')).structuredContent).toMatchObject({ sessions: [] });
    await expect(user.call('create_session', STATE)).rejects.toThrow(/create_session/);
    await keys().setMcpUnsafe({ id: keyId }, true);
    await eventually('the key is permitted', async () => (await creation()) !== undefined);
    expect((await creation())?.annotations).toMatchObject({ readOnlyHint: false });
    const made = await user.call('create_session', STATE);
    expect(made.structuredContent).toMatchObject({ name: 'shop', status: 'active', error: null });
    const { sessions } = (await user.call('list_sessions')).structuredContent as { sessions: Json[] };
    expect(sessions).toMatchObject([{ name: 'shop', origins: [ORIGIN] }]);
    const refused = await user.call('create_session', { ...STATE, origins: ['shop'] });
    expect([refused.isError, refused.text]).toEqual([true, expect.stringContaining('origins')]);
  });

  it('are used by captures', async () => {
    const args = { url: `${ORIGIN}/orders`, options: { session: 'shop' } };
    const capture = user.call('capture', args);
    const job = await api.claim({ accountId });
    await job.succeed();
    expect((await capture).isError).toBeUndefined();
  });

  it('say how their log-in ended', async () => {
    const login = { url: `${ORIGIN}/login`, actions: [{ type: 'click', selector: '#in' }] };
    const creating = user.call('create_session', { name: 'second', origins: [ORIGIN], login });
    const job = await api.claim({ accountId });
    await job.fail(new AppError('action_failed', { detail: 'There is no element #in.' }));
    expect((await creating).structuredContent).toMatchObject({
      name: 'second',
      status: 'pending',
      is_logging_in: false,
      error: expect.stringContaining('#in'),
    });
  });
});
