import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AppError } from '@app/kernel';
import { startApi, type TestApi } from '../../../test/support/api.js';
import { CaptureClient } from './index.js';

const PAGE = { url: 'https://example.com/page' };

async function itemsOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();

describe(CaptureClient.name, () => {
  let api: TestApi;

  beforeAll(async () => {
    api = await startApi();
  });

  afterAll(async () => {
    await api.close();
  });

  const newClient = async () => {
    const { accountId, apiKey } = await api.client();
    const settings = { baseUrl: `${api.url}/v1/`, key: apiKey };
    return { accountId, settings, client: new CaptureClient(settings) };
  };

  describe('capture', () => {
    it('returns the file', async () => {
      const { client, accountId } = await newClient();
      const captured = client.capture({ ...PAGE, format: 'webp', quality: 50, filename: 'my page, ä' });
      const { id, succeed } = await api.claim({ accountId });
      await succeed([{ name: 'result', format: 'webp', bytes: Buffer.from('a picture') }]);
      const file = await captured;
      expect(file).toMatchObject({
        captureId: id,
        billable: true,
        cache: 'BYPASS',
        contentType: 'image/webp',
      });
      expect([text(file.bytes), file.filename]).toEqual(['a picture', 'my page, ä.webp']);
      expect(file.headers.get('x-capture-http-status')).toBe('200');
    });

    it('says how the cache answered, and what is not charged', async () => {
      const { client, accountId } = await newClient();
      const captured = client.capture({ ...PAGE, cache_ttl_s: 600 });
      await (await api.claim({ accountId })).succeed();
      expect(await captured).toMatchObject({ cache: 'MISS', billable: true });
      expect(await client.capture({ ...PAGE, cache_ttl_s: 600 })).toMatchObject({ cache: 'HIT' });
      expect((await client.usage()).used).toBe(1);
    });

    it('returns the record for `response: json`, and for outputs, also a single one', async () => {
      const { client, accountId } = await newClient();
      for (const options of [{ response: 'json' as const }, { outputs: [{ name: 'page' }] }]) {
        const captured = client.capture({ ...PAGE, ...options });
        const { id, succeed } = await api.claim({ accountId });
        await succeed();
        expect(await captured).toMatchObject({ id, status: 'succeeded', files: [{ format: 'png' }] });
      }
    });
  });

  it('submits a job, shows, waits for and cancels it, and returns its file', async () => {
    const { client, accountId } = await newClient();
    const job = await client.jobs.create({ ...PAGE, reference: 'order-7' });
    expect(await client.jobs.get(job.id)).toMatchObject({ status: 'queued', reference: 'order-7' });
    const statuses: string[] = [];
    const end = client.jobs.wait(job.id, { onChange: ({ status }) => statuses.push(status) });
    await (await api.claim({ accountId })).succeed();
    expect(await end).toMatchObject({ id: job.id, status: 'succeeded' });
    expect(statuses.at(-1)).toBe('succeeded');
    expect((await client.jobs.result(job.id)).captureId).toBe(job.id);
    const other = await client.jobs.create(PAGE);
    expect(await client.jobs.cancel(other.id)).toMatchObject({ status: 'canceled' });
    await expect(client.jobs.cancel(job.id)).rejects.toMatchObject({ code: 'job_finished', status: 409 });
  });

  it('returns the record of a job that failed, and throws its error for its file', async () => {
    const { client, accountId } = await newClient();
    const { id } = await client.jobs.create(PAGE);
    await (await api.claim({ accountId })).fail(new AppError('target_dns_error'));
    expect(await client.jobs.wait(id)).toMatchObject({
      status: 'failed',
      error: { code: 'target_dns_error' },
    });
    await expect(client.jobs.result(id)).rejects.toMatchObject({ code: 'target_dns_error', status: 422 });
  });

  describe('bulk', () => {
    it('submits rows, follows them, and reads what they made', async () => {
      const { client, accountId } = await newClient();
      const rows = [{ ...PAGE, reference: 'a' }, { url: 'nowhere' }, { ...PAGE, full_page: null }];
      const settings = { defaults: { full_page: true }, on_invalid: 'skip' as const };
      expect(await client.bulk.dryRunRows(rows, settings)).toMatchObject({ valid: 2, rejected: 1 });
      const batch = await client.bulk.fromRows(rows, settings);
      expect(batch).toMatchObject({ total: 3, rejected: 1, errors: [{ row: 2, column: 'url' }] });
      const progress: number[] = [];
      const end = client.bulk.wait(batch.id, { onProgress: (record) => progress.push(record.progress) });
      await (await api.claim({ accountId })).succeed();
      await (await api.claim({ accountId })).fail(new AppError('target_dns_error'));
      expect(await end).toMatchObject({ status: 'completed', counts: { succeeded: 1, failed: 2 } });
      expect(progress.at(-1)).toBe(1);
      expect((await client.bulk.get(batch.id)).status).toBe('completed');
      expect((await itemsOf(client.bulk.results(batch.id, { limit: 1 }))).map(({ row }) => row)).toEqual([
        1, 2, 3,
      ]);
      const failed = await itemsOf(client.bulk.results(batch.id, { status: 'failed' }));
      expect(failed.map(({ error }) => error?.code)).toEqual(['invalid_request', 'target_dns_error']);
      const csv = await client.bulk.download(batch.id);
      expect([text(csv.bytes).split('\r\n').length, csv.filename]).toEqual([
        5,
        expect.stringMatching(/\.csv$/),
      ]);
      expect(text((await client.bulk.files(batch.id)).bytes)).toMatch(/^PK/);
      const again = await client.bulk.retryFailed(batch.id, { defaults: { timeout_ms: 90_000 } });
      expect(again).toMatchObject({ retry_of: batch.id, total: 1 });
      expect(await client.bulk.cancel(again.id)).toMatchObject({ status: 'canceled' });
    });

    it('lists batches page by page, newest first', async () => {
      const { client } = await newClient();
      const ids: string[] = [];
      for (let i = 0; i < 5; i++) ids.unshift((await client.bulk.fromRows([PAGE])).id);
      await client.bulk.cancel(ids[1] ?? '');
      const idsOf = async (filters?: Parameters<typeof client.bulk.list>[0]) =>
        (await itemsOf(client.bulk.list(filters))).map(({ id }) => id);
      expect(await idsOf()).toEqual(ids);
      expect(await idsOf({ limit: 2 })).toEqual(ids);
      expect(await idsOf({ status: 'canceled' })).toEqual([ids[1]]);
      const { items, next_cursor: cursor } = await client.bulk.page({ limit: 3 });
      expect([items.length, cursor]).toEqual([3, expect.any(String)]);
      expect(await client.bulk.page({ cursor: cursor ?? '' })).toMatchObject({
        items: [{ id: ids[3] }, { id: ids[4] }],
        next_cursor: null,
      });
    });

    it('reads results page by page, as far as they are wanted', async () => {
      const { client, settings } = await newClient();
      const batch = await client.bulk.fromRows(Array.from({ length: 250 }, () => PAGE));
      const rows = (await itemsOf(client.bulk.results(batch.id, { limit: 30 }))).map(({ row }) => row);
      expect(rows).toEqual(Array.from({ length: 250 }, (_, i) => i + 1));
      let requests = 0;
      const counting = new CaptureClient({
        ...settings,
        fetch: (url, init) => {
          requests++;
          return fetch(url, init);
        },
      });
      for await (const { row } of counting.bulk.results(batch.id)) if (row === 101) break;
      expect(requests).toBe(2);
      await client.bulk.cancel(batch.id);
    });

    it.each([
      ['text', (csv: string) => csv],
      ['bytes', (csv: string) => new TextEncoder().encode(csv)],
      ['a file', (csv: string) => new Blob([csv], { type: 'application/vnd.ms-excel' })],
    ])('submits CSV as %s, with lists and objects as defaults', async (_, as) => {
      const { client } = await newClient();
      const csv = as('url,reference\nhttps://example.com/ü,"a, b"\n');
      const defaults = {
        headers: { 'X-Preview': 'true & more' },
        hide_selectors: ['.ad', '#x'],
        format: 'webp' as const,
      };
      expect(await client.bulk.dryRunCsv(csv, { defaults })).toMatchObject({ would_accept: true, total: 1 });
      const batch = await client.bulk.fromCsv(csv, { defaults, on_invalid: 'reject' });
      const [row] = await itemsOf(client.bulk.results(batch.id));
      expect(row).toMatchObject({
        url: 'https://example.com/%C3%BC',
        reference: 'a, b',
        format: 'webp',
        options: { hide_selectors: ['.ad', '#x'], headers: '[redacted]' },
      });
    });
  });

  it('lists, filters, counts and deletes captures', async () => {
    const { client, accountId } = await newClient();
    const ids = [];
    for (let i = 0; i < 5; i++)
      ids.unshift((await client.jobs.create({ ...PAGE, reference: `r${i % 2}` })).id);
    const idsOf = async (filters: Parameters<typeof client.captures.list>[0]) =>
      (await itemsOf(client.captures.list(filters))).map(({ id }) => id);
    expect(await idsOf({ limit: 2 })).toEqual(ids);
    expect(await idsOf({ limit: 1, reference: 'r1', has_error: false })).toEqual([ids[1], ids[3]]);
    expect(await idsOf({ limit: 2, search: 'EXAMPLE' })).toEqual(ids);
    expect(await idsOf({ search: 'nowhere' })).toEqual([]);
    expect(await client.captures.page({ limit: 3 })).toMatchObject({ next_cursor: expect.any(String) });
    const { id, succeed } = await api.claim({ accountId });
    await succeed(Buffer.from('a picture'));
    expect(await client.captures.get(id)).toMatchObject({ id, status: 'succeeded' });
    expect(text((await client.captures.file(id)).bytes)).toBe('a picture');
    expect((await client.captures.file(id, 'result')).filename).toMatch(/\.png$/);
    await expect(client.captures.file(id, 'none')).rejects.toMatchObject({ code: 'not_found' });
    expect(text((await client.captures.archive(id)).bytes)).toMatch(/^PK/);
    expect(await client.captures.stats({ bucket: 'hour' })).toMatchObject({ bucket: 'hour' });
    expect(await client.captures.delete(id)).toMatchObject({ id, url: null });
    await expect(client.captures.file(id)).rejects.toMatchObject({ code: 'result_expired', status: 410 });
    expect(await client.captures.delete(id, { record: true })).toBeUndefined();
    await expect(client.captures.get(id)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('shows usage, devices, version and health; what is public needs no key', async () => {
    const { client } = await newClient();
    expect(await client.usage()).toMatchObject({ total: 1_000, used: 0, concurrency: { limit: 50 } });
    expect((await client.devices()).map(({ id }) => id)).toContain('iphone-15-pro');
    const stranger = new CaptureClient({ baseUrl: api.url });
    expect(await stranger.version()).toMatchObject({ api_version: 'v1' });
    expect(await stranger.health()).toHaveProperty('checks.workers.count', 0);
    expect(await client.usageByDay({ from: '2026-11-01', to: '2026-11-03' })).toMatchObject({
      charged: 0,
      days: [{ day: '2026-11-01' }, { day: '2026-11-02' }],
    });
    expect((await client.usageByDay()).days).toHaveLength(30);
    await expect(client.usageByDay({ from: '1.11.2026' })).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(stranger.usage()).rejects.toMatchObject({ code: 'unauthorized' });
  });
});
