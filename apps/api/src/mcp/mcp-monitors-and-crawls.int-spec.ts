import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiKeysService } from '@app/auth';
import { startApi, type TestApi } from '../../../../test/support/api.js';
import type { Json } from '../../../../test/support/client.js';
import { eventually } from '../../../../test/support/eventually.js';
import { ToolUser } from '../../../../test/support/mcp.js';

const DAILY = { schedule: { every_s: 86_400 }, capture: { url: 'https://example.com/' } };

describe('monitors and crawls over MCP', () => {
  let api: TestApi;
  let user: ToolUser;
  let keyId: string;

  beforeAll(async () => {
    api = await startApi();
    const { accountId } = await api.client();
    const made = await keys().create(accountId, 'agent');
    keyId = made.id;
    user = await ToolUser.overHttp({ url: api.url, key: made.key, era: 'legacy' });
  });

  afterAll(async () => {
    await user.close();
    await api.close();
  });

  const keys = (): ApiKeysService => api.app.get(ApiKeysService, { strict: false });
  const isOffered = async (tool: string): Promise<boolean> =>
    (await user.client.listTools()).tools.some(({ name }) => name === tool);

  it('are listed with their checks for every key, and made only with one that the operator permits', async () => {
    expect((await user.call('list_monitors')).structuredContent).toMatchObject({ monitors: [] });
    await expect(user.call('create_monitor', DAILY)).rejects.toThrow(/create_monitor/);
    await expect(user.call('create_crawl', { url: 'https://docs.example/' })).rejects.toThrow(/create_crawl/);
    await keys().setMcpUnsafe({ id: keyId }, true);
    await eventually('the key is permitted', () => isOffered('create_monitor'));
    const made = (await user.call('create_monitor', DAILY)).structuredContent as Json;
    expect(made).toMatchObject({ name: 'example.com', state: 'active', urls: ['https://example.com/'] });
    const { monitors } = (await user.call('list_monitors')).structuredContent as { monitors: Json[] };
    expect(monitors).toMatchObject([{ id: made.id, schedule: { every_s: 86_400 } }]);
    const checks = await user.call('list_checks', { monitor_id: made.id });
    expect(checks.structuredContent).toMatchObject({ checks: [] });
    const refused = await user.call('create_monitor', {
      ...DAILY,
      schedule: { every_s: 60, cron: '* * * * *' },
    });
    expect([refused.isError, refused.text]).toEqual([true, expect.stringContaining('cron')]);
  });

  it('take the rules and the options of a crawl, and bound what it may cost', async () => {
    await keys().setMcpUnsafe({ id: keyId }, true);
    await eventually('the key is permitted', () => isOffered('create_crawl'));
    const rules = { url: 'https://docs.example/', source: 'links', include: ['*/guide/*'], limit: 7 };
    const made = (await user.call('create_crawl', { ...rules, clean: true })).structuredContent as Json;
    expect(made).toMatchObject({
      status: 'discovering',
      limit: 7,
      next: expect.stringContaining('get_crawl'),
    });
    const { rows } = await api.database.query('SELECT rules FROM crawls WHERE id = $1', [made.id]);
    expect(rows[0]).toMatchObject({ rules: { source: 'links', include: ['*/guide/*'] } });
    expect((await user.call('get_crawl', { id: made.id })).structuredContent).toMatchObject({
      id: made.id,
      pages: [],
      next_page: null,
    });
    expect((await user.call('read_crawl', { id: made.id })).text).toContain('is discovering');
    expect((await user.call('list_crawls')).structuredContent).toMatchObject({ crawls: [{ id: made.id }] });
    for (const [args, said] of [
      [{ limit: 1_001 }, 'limit'],
      [{ same: 'planet' }, 'same'],
      [{ options: { format: 'gif' } }, '`format` must be one of'],
      [{ metadata: false }, 'defaults/metadata must not be set'],
    ] as const) {
      const refused = await user.call('create_crawl', { ...rules, ...args });
      expect([refused.isError, refused.text]).toEqual([true, expect.stringContaining(said)]);
    }
  });

  it('say that there is no such crawl', async () => {
    const missing = await user.call('read_crawl', { id: 'none' });
    expect([missing.isError, missing.text]).toEqual([true, expect.stringContaining('no crawl')]);
  });

  it('say that there is no such monitor', async () => {
    const missing = await user.call('list_checks', { monitor_id: 'none' });
    expect([missing.isError, missing.text]).toEqual([true, expect.stringContaining('no monitor')]);
  });
});
