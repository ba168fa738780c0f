import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApi, type TestApi } from '../../../../test/support/api.js';
import { json, type Client, type Json } from '../../../../test/support/client.js';

const START = 'https://docs.example/';

describe('/v1/crawls', () => {
  let api: TestApi;
  let client: Client & { readonly accountId: string };

  beforeAll(async () => {
    api = await startApi();
    client = await api.client();
  });

  afterAll(() => api.close());

  const crawl = (more: Json = {}, headers: Record<string, string> = {}) =>
    client.post('/v1/crawls', { url: START, ...more }, headers);

  it.each<[string, Json, string, string]>([
    ['no start', { url: undefined }, '/url', 'required'],
    ['a start that is no address', { url: 'docs' }, '/url', 'invalid_value'],
    ['an unknown source', { source: 'guess' }, '/source', 'not_allowed'],
    ['a limit below one', { limit: 0 }, '/limit', 'out_of_range'],
    ['a limit above all', { limit: 10_001 }, '/limit', 'out_of_range'],
    ['a negative depth', { max_depth: -1 }, '/max_depth', 'out_of_range'],
    ['no pages of a pattern', { limit_per_pattern: 0 }, '/limit_per_pattern', 'out_of_range'],
    ['patterns that are no list', { include: '*' }, '/include', 'wrong_type'],
    ['a pattern that is no text', { exclude: [1] }, '/exclude', 'wrong_type'],
    ['an unknown sameness', { same: 'planet' }, '/same', 'not_allowed'],
    ['robots.txt ignored', { robots: 'ignore' }, '/robots', 'not_allowed'],
    ['a dry run that is no truth value', { dry_run: 'yes' }, '/dry_run', 'wrong_type'],
    ['an unknown field', { maxDepth: 1 }, '/maxDepth', 'unknown_field'],
    ['options that are no object', { defaults: 'png' }, '/defaults', 'wrong_type'],
    ['a bad option', { defaults: { format: 'gif98' } }, '/defaults/format', 'not_allowed'],
    ['an option that each page has', { defaults: { url: START } }, '/defaults/url', 'not_for_route'],
    ['an option of the crawl', { defaults: { metadata: false } }, '/defaults/metadata', 'not_for_route'],
    ['an unknown session', { defaults: { session: 'other' } }, '/defaults/session', 'unknown_session'],
    ['a bad webhook', { webhook_url: 'hook' }, '/webhook_url', 'invalid_value'],
  ])('refuses %s, and says where', async (_, more, pointer, code) => {
    const response = await crawl(more);
    const { errors } = (await json(response)) as { errors: readonly { pointer: string; code: string }[] };
    expect(response.status).toBe(400);
    expect(errors.map((fault) => [fault.pointer, fault.code])).toEqual([[pointer, code]]);
  });

  it('refuses a start inside the network', async () => {
    const response = await crawl({ url: 'http://10.0.0.1/' });
    expect([response.status, (await json(response)).code]).toEqual([403, 'target_forbidden']);
  });

  it('opens a batch without rows, and takes the same request once', async () => {
    const headers = { 'idempotency-key': 'crawl-1' };
    const first = await crawl(
      { limit: 5, defaults: { headers: { authorization: 'Bearer secret-of-the-site' } } },
      headers,
    );
    const again = await crawl(
      { limit: 5, defaults: { headers: { authorization: 'Bearer secret-of-the-site' } } },
      headers,
    );
    const record = await json(first);
    expect([first.status, again.headers.get('idempotency-replayed')]).toEqual([202, 'true']);
    expect(await json(again)).toEqual(record);
    expect(record).toMatchObject({
      status: 'discovering',
      discovered: 0,
      limit: 5,
      source: 'both',
      error: null,
    });
    expect((await crawl({ limit: 6 }, headers)).status).toBe(422);
    const batch = await json(client.get(`/v1/bulk/${String(record.batch_id)}`));
    expect(batch).toMatchObject({ status: 'queued', total: 0, progress: 0 });
    const { rows } = await api.database.query('SELECT * FROM crawls WHERE id = $1', [record.id]);
    expect(JSON.stringify(rows)).not.toContain('secret-of-the-site');
  });

  it('cancels a crawl and its batch, once and again', async () => {
    const { id, batch_id: batchId } = await json(crawl());
    for (const _ of [1, 2]) {
      const response = await client.send('DELETE', `/v1/crawls/${String(id)}`);
      expect([response.status, (await json(response)).status]).toEqual([200, 'canceled']);
    }
    expect(await json(client.get(`/v1/bulk/${String(batchId)}`))).toMatchObject({
      status: 'canceled',
      finished_at: expect.any(String),
      progress: 1,
    });
    const { rows } = await api.database.query('SELECT defaults FROM crawls WHERE id = $1', [id]);
    expect(rows).toEqual([{ defaults: null }]);
  });

  it('shows nothing of it to another account', async () => {
    const { id } = await json(crawl());
    const other = await api.client();
    for (const path of ['', '/pages', '/broken', '/download']) {
      expect((await other.get(`/v1/crawls/${String(id)}${path}`)).status).toBe(404);
    }
    expect((await other.send('DELETE', `/v1/crawls/${String(id)}`)).status).toBe(404);
    expect(await json(other.get('/v1/crawls'))).toEqual({ items: [], next_cursor: null });
  });

  it('lists crawls newest first, and takes no more than an account may have', async () => {
    client = await api.client();
    const ids: unknown[] = [];
    for (let i = 0; i < 20; i++) ids.push((await json(crawl({ dry_run: true }))).id);
    const refused = await crawl();
    expect([refused.status, (await json(refused)).code]).toEqual([409, 'limit_reached']);
    const first = await json(client.get('/v1/crawls?limit=15&status=discovering'));
    const second = await json(client.get(`/v1/crawls?limit=15&cursor=${String(first.next_cursor)}`));
    const listed = [first, second].flatMap(({ items }) => (items as Json[]).map(({ id }) => id));
    expect(listed).toEqual([...ids].reverse());
    await client.send('DELETE', `/v1/crawls/${String(ids[0])}`);
    expect((await crawl()).status).toBe(202);
  });
});
