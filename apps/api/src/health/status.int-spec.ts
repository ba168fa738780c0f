import { hostname } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SCOPES } from '@app/auth';
import { CaptureClient } from '@app/client';
import { WorkerRegistryService } from '@app/jobs';
import { Clock, ManualClock, newId } from '@app/kernel';
import { startApi, type TestApi } from '../../../../test/support/api.js';
import { json } from '../../../../test/support/client.js';

const PAGE = { url: 'https://example.com/' };

describe('GET /v1/status', () => {
  const clock = new ManualClock(new Date());
  let api: TestApi;
  let client: Awaited<ReturnType<TestApi['client']>>;
  let sdk: CaptureClient;

  beforeAll(async () => {
    api = await startApi({}, undefined, [[Clock, clock]]);
    client = await api.client({}, SCOPES);
    sdk = new CaptureClient({ baseUrl: api.url, key: client.apiKey });
  });

  afterAll(() => api.close());

  const read = () => {
    clock.set(new Date(clock.now().getTime() + 1_000));
    return sdk.status();
  };

  it('has no workers and an empty queue at first', async () => {
    expect(await read()).toMatchObject({
      health: { status: 'degraded', checks: { workers: { status: 'down' } } },
      version: { api_version: 'v1', browser: null },
      workers: [],
      queue: { waiting: 0, active: 0, oldest_waiting_s: null },
    });
  });

  it('shows each worker without its host', async () => {
    const id = newId();
    const before = Date.now();
    await api.app.get(WorkerRegistryService, { strict: false }).report({
      id: `${hostname()}:${process.pid}:${id}`,
      browser: 'Chrome/156.0.7000.10',
      slots: 4,
      busy: 1,
      healthy: 4,
      sandbox: true,
      filterLists: [],
      features: [],
    });
    const status = await read();
    expect(status.workers).toEqual([
      {
        id,
        browser: 'Chrome/156.0.7000.10',
        state: 'active',
        slots: 4,
        busy: 1,
        healthy: 4,
        started_at: expect.any(String),
        seen_at: expect.any(String),
      },
    ]);
    const [worker] = status.workers;
    expect(Math.abs(Date.parse(worker?.started_at ?? '') - before)).toBeLessThan(60_000);
    expect(status.version.browser).toBe('Chrome/156.0.7000.10');
    expect(JSON.stringify(status)).not.toContain(`${hostname()}:`);
  });

  it('counts the captures that wait and run', async () => {
    await json(client.submit(PAGE));
    const running = await api.claim(client);
    await json(client.submit(PAGE));
    await json(client.submit(PAGE));
    const { queue } = await read();
    expect(queue).toMatchObject({ waiting: 2, active: 1, oldest_waiting_s: expect.any(Number) });
    await running.succeed();
    // Within a second the answer is the same one.
    expect(await sdk.status()).toMatchObject({ queue });
    expect((await read()).queue).toMatchObject({ waiting: 2, active: 0 });
  });

  it('shows a key without the scope admin its own captures, and no workers', async () => {
    const other = await api.client();
    await json(other.submit(PAGE));
    const own = await json(other.get('/v1/status'));
    expect(own).toMatchObject({ workers: [], queue: { waiting: 1, active: 0, oldest_waiting_s: 0 } });
    const idle = await json((await api.client()).get('/v1/status'));
    expect(idle).toMatchObject({ workers: [], queue: { waiting: 0, active: 0, oldest_waiting_s: null } });
    expect((await read()).workers).not.toEqual([]);
  });

  it('is for callers with a key', async () => {
    expect((await client.withKey(null).get('/v1/status')).status).toBe(401);
  });
});
