import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApi, type TestApi } from '../../../test/support/api.js';
import { CaptureClient } from './index.js';

const PAGE = { url: 'https://example.com/page' };

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
    return { accountId, client: new CaptureClient({ baseUrl: api.url, key: apiKey }) };
  };

  it('returns the file of a capture', async () => {
    const { client, accountId } = await newClient();
    const captured = client.capture({ ...PAGE, format: 'webp', quality: 50 });
    const { id, succeed } = await api.claim({ accountId });
    await succeed(Buffer.from('a picture'));
    const file = await captured;
    expect(file).toMatchObject({
      captureId: id,
      billable: true,
      cache: 'BYPASS',
      contentType: expect.stringMatching(/^image/),
    });
    expect(Buffer.from(file.bytes).toString()).toBe('a picture');
    expect(file.filename).toBe('example.com.webp');
  });

  it('follows a job to its end', async () => {
    const { client, accountId } = await newClient();
    const job = await client.jobs.create(PAGE);
    const states: string[] = [];
    const end = client.jobs.wait(job.id, { onChange: ({ status }) => states.push(status) });
    await (await api.claim({ accountId })).succeed();
    expect(await end).toMatchObject({ id: job.id, status: 'succeeded' });
    expect(states.at(-1)).toBe('succeeded');
    expect((await client.jobs.result(job.id)).captureId).toBe(job.id);
    const found = [];
    for await (const { id } of client.captures.list({ limit: 1 })) found.push(id);
    expect(found).toEqual([job.id]);
  });

  it('submits rows and a CSV', async () => {
    const { client } = await newClient();
    const batch = await client.bulk.fromRows([PAGE, PAGE], { defaults: { format: 'pdf' } });
    expect(batch).toMatchObject({ total: 2, errors: [] });
    const csv = await client.bulk.dryRunCsv('url\nhttps://example.com\n', {
      defaults: { hide_selectors: ['.a'] },
    });
    expect(csv).toMatchObject({ dry_run: true, valid: 1 });
    const rows = [];
    for await (const { row } of client.bulk.results(batch.id, { limit: 1 })) rows.push(row);
    expect(rows).toEqual([1, 2]);
    expect(new TextDecoder().decode((await client.bulk.download(batch.id)).bytes)).toMatch(/^row,/);
    expect(await client.bulk.cancel(batch.id)).toMatchObject({ status: 'canceled' });
    expect(await client.bulk.wait(batch.id)).toMatchObject({ status: 'canceled' });
  });

  it('throws what the service says', async () => {
    const { client } = await newClient();
    await expect(client.jobs.get('01a1ff78-0343-71d9-8634-8edb4e836c20')).rejects.toMatchObject({
      name: 'CaptureError',
      code: 'not_found',
      status: 404,
      retryable: false,
    });
    await expect(
      client.capture({ ...PAGE, quality: 5, format: 'jpeg', timezone: 'Mars' }),
    ).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('timezone'),
      errors: [{ pointer: '/timezone' }],
    });
    expect(await client.usage()).toMatchObject({ total: 1000 });
    expect(await client.health()).toHaveProperty('status');
  });
});
