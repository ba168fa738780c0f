import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PAGE_LISTS, type PageMetadata } from '@app/capture';
import { AppError } from '@app/kernel';
import { startApi, type TestApi } from '../../../../test/support/api.js';
import { json, type Client, type Json } from '../../../../test/support/client.js';
import { allEventsOf } from '../../../../test/support/event-source.js';

const WANTED = { url: 'https://example.com/', metadata: true };

const PAGE: PageMetadata = {
  title: 'Example',
  description: null,
  lang: 'en',
  canonical: 'https://example.com/',
  robots: null,
  author: 'Ada',
  published: '2024-05-01',
  open_graph: { title: 'Example', 'image:width': '1200' },
  twitter: {},
  icons: [{ url: 'https://example.com/icon.png', rel: 'icon', sizes: null, type: null }],
  feeds: [],
  json_ld: [{ b: 1, a: { 'ü "': ['\\u0000'] } }],
  headings: [{ level: 1, text: 'Example' }],
  links: Array.from({ length: 1_000 }, (_, i) => ({
    url: `https://example.com/${i}`,
    text: '世界 '.repeat(20),
    rel: '',
    internal: true,
  })),
  images: [{ url: 'https://example.com/a.png', alt: null, width: null, height: null }],
  fonts: ['Inter'],
  words: 7,
  more_links: 12,
  truncated: ['title', 'links'],
};

const NO_LISTS = Object.fromEntries(PAGE_LISTS.map((list) => [list, []]));
const SHORT = {
  ...PAGE,
  ...NO_LISTS,
  truncated: ['title', 'links', ...PAGE_LISTS.filter((list) => list !== 'links')],
};

describe('the metadata of a page', () => {
  let api: TestApi;
  let client: Client & { readonly accountId: string };
  const succeed = async (): Promise<string> => {
    const { id, succeed: end } = await api.claim(client);
    await end(undefined, { page: PAGE });
    return id;
  };

  beforeAll(async () => {
    api = await startApi();
    client = await api.client();
  });
  afterAll(() => api.close());

  it('is whole in the record of one capture, in its order', async () => {
    const answer = client.record(WANTED);
    const id = await succeed();
    const waiting = client.submit(WANTED).then(async (response) => {
      const { id: job } = await json(response);
      return json(client.get(`/v1/jobs/${String(job)}?wait=30`));
    });
    await succeed();
    const records = [await answer, await waiting, await json(client.get(`/v1/captures/${id}`))];
    for (const path of ['captures', 'jobs']) records.push(await json(client.get(`/v1/${path}/${id}`)));
    for (const { page } of records) expect(JSON.stringify(page)).toBe(JSON.stringify(PAGE));
  });

  it('has no lists where there are many records, or where they are sent', async () => {
    const webhook_url = 'https://hooks.example.com/';
    const { id: batch } = await json(client.post('/v1/bulk/json', { items: [WANTED, WANTED] }));
    await succeed();
    await succeed();
    const { id } = await json(client.submit({ ...WANTED, webhook_url }));
    const events = client.get(`/v1/jobs/${String(id)}/events`).then(allEventsOf);
    await succeed();
    const { rows } = await api.database.query<{ body: string }>(
      `SELECT body FROM webhook_deliveries WHERE subject_id = $1`,
      [id],
    );
    const [webhook] = rows.map(({ body }) => (JSON.parse(body) as { data: Json }).data);
    const listed = await Promise.all(
      ['/v1/captures?limit=3', `/v1/bulk/${String(batch)}/results`].map((path) => json(client.get(path))),
    );
    const records = [webhook, (await events).at(-1)?.data, ...listed.flatMap((list) => list.items as Json[])];
    expect(records).toHaveLength(7);
    for (const record of records) {
      expect(record?.page).toEqual(SHORT);
      expect(Object.keys(record?.page as object)).toEqual(Object.keys(PAGE));
    }
  });

  it('is null when the capture failed, or was not asked for it', async () => {
    const failing = client.submit(WANTED).then(json);
    await (await api.claim(client)).fail(new AppError('target_dns_error'));
    const plain = client.submit({ url: WANTED.url }).then(json);
    await (await api.claim(client)).succeed();
    for (const { id } of [await failing, await plain]) {
      expect(await json(client.get(`/v1/captures/${String(id)}`))).toMatchObject({ page: null });
    }
  });

  it('is gone when the capture is deleted', async () => {
    const { id } = await json(client.submit(WANTED));
    await succeed();
    expect(await json(client.send('DELETE', `/v1/captures/${String(id)}`))).toMatchObject({ page: null });
    const { rows } = await api.database.query(`SELECT page, page_lists FROM jobs WHERE id = $1`, [id]);
    expect(rows).toEqual([{ page: null, page_lists: null }]);
  });
});
