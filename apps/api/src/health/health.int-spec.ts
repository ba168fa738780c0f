import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApi, type TestApi } from '../../../../test/support/api.js';
import { json } from '../../../../test/support/client.js';
import { eventually } from '../../../../test/support/eventually.js';
import { FaultProxy } from '../../../../test/support/fault-proxy.js';

describe('GET /v1/health', () => {
  let api: TestApi;
  let frail: TestApi;
  let proxy: FaultProxy;

  beforeAll(async () => {
    api = await startApi();
    proxy = await FaultProxy.before(api.database.url);
    frail = await startApi({ DATABASE_URL: proxy.through(api.database.url) }, api);
  });

  afterAll(async () => {
    await frail.close();
    await proxy.close();
    await api.close();
  });

  it('is 200 without a worker, and 503 while the database is away', async () => {
    const health = (): Promise<Response> => fetch(`${frail.url}/v1/health`);
    expect((await health()).status).toBe(200);
    await proxy.set('refuse');
    await eventually('the health is down', async () => (await health()).status === 503);
    expect(await json(health())).toMatchObject({ status: 'down' });
    await proxy.set('pass');
    await eventually('the service is healthy again', async () => (await health()).status === 200);
  });
});
