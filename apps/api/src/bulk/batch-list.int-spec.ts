import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WebhooksService } from '@app/webhooks';
import { DatabaseService } from '@app/database';
import { startApi, type TestApi } from '../../../../test/support/api.js';
import { insertBatch } from '../../../../test/support/batch-rows.js';
import { json, type Client, type Json } from '../../../../test/support/client.js';

type Owner = Client & { readonly accountId: string };
type Page = Json & { readonly items: Json[]; readonly next_cursor: string | null };

describe('GET /v1/bulk', () => {
  let api: TestApi;

  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.close());

  const page = async (owner: Client, query = ''): Promise<Page> =>
    (await json(owner.get(`/v1/bulk${query}`))) as Page;
  const idsOf = ({ items }: Page): unknown[] => items.map(({ id }) => id);

  async function add(
    owner: Owner,
    more: { rows?: number; rejected?: number; webhookUrl?: string } = {},
  ): Promise<string> {
    const { id } = await insertBatch(api.database, { accountId: owner.accountId, rows: 1, ...more });
    return id;
  }

  /** All pages, with this done between them. */
  async function walk(
    owner: Owner,
    query: string,
    between = async (): Promise<unknown> => undefined,
  ): Promise<unknown[]> {
    const seen: unknown[] = [];
    let next: string | null = '';
    while (next !== null) {
      const cursor: string = next === '' ? '' : `&cursor=${next}`;
      const { items, next_cursor } = await page(owner, `?${query}${cursor}`);
      seen.push(...items.map(({ id }) => id));
      next = next_cursor;
      await between();
    }
    return seen;
  }

  it('lists the records that the batches show by themselves, newest first', async () => {
    const owner = await api.client({ concurrency: 20 });
    const webhookUrl = 'https://example.com/hook';
    const ids = [
      await add(owner, { rows: 3, rejected: 1, webhookUrl }),
      await add(owner, { rows: 0, rejected: 2, webhookUrl }),
      await add(owner, { rows: 2 }),
      await add(owner),
    ];
    await (await api.claim(owner)).succeed();
    await api.claim(owner);
    await owner.send('DELETE', `/v1/bulk/${String(ids[3])}`);
    await announce(owner, String(ids[1]), webhookUrl);
    const { items, next_cursor } = await page(owner);
    expect(next_cursor).toBeNull();
    const alone = await Promise.all(ids.reverse().map((id) => json(owner.get(`/v1/bulk/${id}`))));
    const withoutEta = (record: Json): Json => ({ ...record, eta_s: typeof record.eta_s });
    expect(items.map(withoutEta)).toEqual(alone.map(withoutEta));
    expect(items).toMatchObject([
      { status: 'canceled', eta_s: 0, webhook: null },
      { status: 'queued', eta_s: null },
      { status: 'completed', eta_s: 0, webhook: { state: 'pending', url: webhookUrl } },
      { status: 'running', eta_s: expect.any(Number), progress: 0.5, webhook: { state: 'waiting' } },
    ]);
  });

  /** Writes the event of an ended batch, as the worker does. */
  async function announce({ accountId }: Owner, subjectId: string, url: string): Promise<void> {
    const webhooks = api.app.get(WebhooksService, { strict: false });
    await api.app
      .get(DatabaseService, { strict: false })
      .transaction((transaction) =>
        webhooks.announce(transaction, { accountId, subjectId, url, type: 'batch.completed', data: {} }),
      );
    await api.database.query(`UPDATE batches SET announced_at = now() WHERE id = $1`, [subjectId]);
  }

  it('pages through all batches once while others are added, also those of one instant', async () => {
    const owner = await api.client();
    const ids: string[] = [];
    for (let i = 0; i < 9; i++) ids.push(await add(owner));
    await api.database.query(
      `UPDATE batches SET created_at = '2026-03-01T10:00:00.123Z' WHERE id = ANY($1)`,
      [ids.slice(0, 5)],
    );
    const seen = await walk(owner, 'limit=2', () => add(owner));
    expect(seen).toEqual([...ids].reverse());
    expect(await walk(owner, 'limit=100')).toHaveLength(9 + 5);
  });

  it('applies each filter, alone and with a cursor', async () => {
    const owner = await api.client();
    const old = await add(owner, { rows: 0, rejected: 1 });
    await api.database.query(`UPDATE batches SET created_at = '2026-03-01T10:00:00Z' WHERE id = $1`, [old]);
    const queued = [await add(owner), await add(owner), await add(owner)].reverse();
    const done = await add(owner, { rows: 0, rejected: 1 });
    expect(await walk(owner, 'status=queued&limit=1')).toEqual(queued);
    expect(await walk(owner, 'status=completed&limit=1')).toEqual([done, old]);
    expect(await walk(owner, 'status=canceled')).toEqual([]);
    expect(await walk(owner, 'created_after=2026-03-01&created_before=2026-03-02')).toEqual([old]);
    expect(await walk(owner, 'created_after=2026-03-01T11:00:00%2B01:00')).toEqual([done, ...queued]);
    expect(await walk(owner, 'created_before=2026-03-02&status=completed&limit=1')).toEqual([old]);
    expect(await walk(owner, 'created_after=2026-03-02&limit=2')).toEqual([done, ...queued]);
  });

  it('shows nothing of another account, also with its cursor', async () => {
    const [owner, stranger] = [await api.client(), await api.client()];
    for (let i = 0; i < 3; i++) await add(owner);
    const own = await add(stranger);
    const { next_cursor } = await page(owner, '?limit=1');
    expect(idsOf(await page(stranger))).toEqual([own]);
    expect(idsOf(await page(stranger, `?cursor=${String(next_cursor)}`))).toEqual([]);
  });

  it.each([
    ['limit=0', '/limit'],
    ['limit=101', '/limit'],
    ['cursor=x', '/cursor'],
    ['status=failed', '/status'],
    ['created_after=yesterday', '/created_after'],
    ['created_before=2026-02-30', '/created_before'],
    ['order=asc', '/order'],
  ])('refuses ?%s', async (query, pointer) => {
    const owner = await api.client();
    expect(await page(owner, `?${query}`)).toMatchObject({ code: 'invalid_request', errors: [{ pointer }] });
  });

  it('reads a page from an index', async () => {
    const owner = await api.client();
    await api.database.query(
      `INSERT INTO batches (id, account_id, status, total, succeeded, created_at, finished_at)
       SELECT gen_random_uuid(), $1, 'completed', 1, 1, now() - n * interval '1 min', now() FROM generate_series(1, 10000) AS n`,
      [owner.accountId],
    );
    await api.database.query('ANALYZE batches');
    const plan = async (condition: string): Promise<string> =>
      JSON.stringify(
        (
          await api.database.query(
            `EXPLAIN SELECT * FROM batches WHERE account_id = '${owner.accountId}' ${condition}
              ORDER BY created_at DESC, id DESC LIMIT 101`,
          )
        ).rows,
      );
    expect(await plan('')).toContain('batches_history');
    expect(await plan(`AND status = 'queued'`)).toContain('batches_by_status');
    expect((await page(owner, '?limit=100')).items).toHaveLength(100);
  });
});
