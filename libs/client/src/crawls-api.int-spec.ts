import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApi, type TestApi } from '../../../test/support/api.js';
import { CaptureClient } from './index.js';

const URL = 'https://docs.example/';

describe('the crawls of an account', () => {
  let api: TestApi;

  beforeAll(async () => {
    api = await startApi();
  });

  afterAll(() => api.close());

  it('are made, listed, shown and canceled', async () => {
    const { apiKey } = await api.client();
    const client = new CaptureClient({ baseUrl: api.url, key: apiKey });
    const made = [];
    for (const limit of [1, 2, 3]) made.push(await client.crawls.create({ url: URL, limit }));
    const limits: number[] = [];
    for await (const { limit } of client.crawls.list({ limit: 2 })) limits.push(limit);
    expect(limits).toEqual([3, 2, 1]);
    const [first] = made;
    const id = first?.id ?? '';
    expect(await client.crawls.get(id)).toEqual(first);
    expect(await client.bulk.get(first?.batch_id ?? '')).toMatchObject({ status: 'queued', total: 0 });
    for await (const page of client.crawls.pages(id)) expect(page).toBeUndefined();
    for await (const page of client.crawls.broken(id)) expect(page).toBeUndefined();
    expect(await client.crawls.pagesPage(id, { limit: 1 })).toEqual({ items: [], next_cursor: null });
    await expect(client.crawls.wait(id, { timeoutMs: 1 })).rejects.toMatchObject({ code: 'timeout' });
    expect(await client.crawls.cancel(id)).toMatchObject({ status: 'canceled' });
    const seen: string[] = [];
    const ended = await client.crawls.wait(id, { onProgress: ({ status }) => seen.push(status) });
    expect([ended.status, seen]).toEqual(['canceled', ['canceled']]);
    const book = await client.crawls.download(id, { as: 'markdown' });
    expect([book.filename, Buffer.from(book.bytes).toString()]).toEqual([
      `crawl-${id}.md`,
      expect.stringContaining('# docs.example'),
    ]);
    expect((await client.crawls.download(id, { as: 'sitemap' })).filename).toBe(`crawl-${id}.xml`);
    expect((await client.crawls.download(id)).contentType).toBe('application/zip');
    expect((await client.crawls.page({ status: 'canceled' })).items.map((each) => each.id)).toEqual([id]);
    await expect(client.crawls.get('')).rejects.toMatchObject({ code: 'invalid_options' });
  });
});
