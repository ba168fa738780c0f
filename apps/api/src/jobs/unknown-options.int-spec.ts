import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KNOWN_FEATURES } from '@app/capture';
import { startApi, type TestApi } from '../../../../test/support/api.js';
import { json, statusAndCode, type Client } from '../../../../test/support/client.js';
import { eventually } from '../../../../test/support/eventually.js';

/** The worker `old` does not know the second option. */
const PAGE = { url: 'https://example.com/page', clean: true };

describe('an option that no running worker knows', () => {
  let api: TestApi;
  let client: Client & { readonly accountId: string };

  beforeAll(async () => {
    api = await startApi();
    client = await api.client();
    await report('old', ['stable']);
  });

  afterAll(async () => {
    await api.close();
  });

  const report = (id: string, features: readonly string[]): Promise<unknown> =>
    api.database.query(
      `INSERT INTO workers (id, slots, busy, healthy, browser, sandbox, filter_lists, features, seen_at)
       VALUES ($1, 1, 0, 1, 'HeadlessChrome/156.0.0.0', true, '[]', $2, clock_timestamp() + interval '1 hour')`,
      [id, features],
    );

  it.each([
    ['a job', '/v1/jobs', PAGE],
    ['a synchronous capture', '/v1/capture', PAGE],
    ['a batch', '/v1/bulk/json', { items: [PAGE] }],
  ])('refuses %s for a while, and stores nothing', async (_, route, body) => {
    const response = await client.post(route, body);
    expect(response.headers.get('retry-after')).toMatch(/^\d+$/);
    const { code, detail } = await json(response);
    expect([response.status, code]).toEqual([503, 'unavailable']);
    expect(detail).toBe('No running worker knows clean yet, because the service is being upgraded.');
    const { rows } = await api.database.query('SELECT FROM jobs UNION ALL SELECT FROM batches');
    expect(rows).toEqual([]);
  });

  it('keeps no Idempotency-Key, and is accepted once a worker knows it', async () => {
    const submit = () => client.submit(PAGE, { 'idempotency-key': 'upgrade' });
    expect(await statusAndCode(submit())).toEqual([503, 'unavailable']);
    expect((await client.submit({ url: PAGE.url })).status).toBe(202);
    await report('new', KNOWN_FEATURES);
    await eventually('the API knows the new worker', async () => (await submit()).status === 202);
    const { rows } = await api.database.query(`SELECT needs FROM jobs WHERE needs IS NOT NULL`);
    expect(rows).toEqual([{ needs: ['clean'] }]);
  });
});
