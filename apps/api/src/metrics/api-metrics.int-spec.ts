import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApi, type TestApi } from '../../../../test/support/api.js';
import type { Client } from '../../../../test/support/client.js';
import { eventually } from '../../../../test/support/eventually.js';
import { Exposition } from '../../../../test/support/exposition.js';
import { freePort } from '../../../../test/support/free-port.js';

const REQUESTS = 'capture_http_request_duration_seconds_count';

describe('the metrics of the API', () => {
  let api: TestApi;
  let client: Client;
  let metricsUrl: string;

  beforeAll(async () => {
    const port = await freePort();
    metricsUrl = `http://127.0.0.1:${port}`;
    api = await startApi({ METRICS_PORT: String(port) });
    client = await api.client();
  });

  afterAll(() => api.close());

  const scrape = () => Exposition.scrape(metricsUrl);
  /** How much a sum grows during `act`. */
  const growth = async (name: string, labels: Record<string, string>, act: () => Promise<unknown>) => {
    const before = (await scrape()).sum(name, labels);
    await act();
    return (await scrape()).sum(name, labels) - before;
  };

  it('count requests by method, route pattern and status', async () => {
    const labels = { method: 'GET', route: '/v1/captures/:id', status: '404' };
    const grown = await growth(REQUESTS, labels, async () => {
      for (let n = 1; n <= 3; n += 1)
        await client.get(`/v1/captures/0190b2f4-0000-7000-8000-00000000000${n}`);
    });
    expect(grown).toBe(3);
    expect((await scrape()).samplesOf(REQUESTS, { route: '/v1/captures/:id' })).toHaveLength(1);
  });

  it('have no series for hostile paths, methods and headers', async () => {
    await scrape();
    const seriesBefore = (await scrape()).samplesOf(REQUESTS).length;
    const paths = [
      '/%00',
      '/v1/x"}\n',
      '/..%2f..%2fetc',
      '//evil.example/',
      `/${'a'.repeat(2_000)}`,
      '/v1/:id',
      '/*',
    ];
    const methods = ['GET', 'PROPFIND', 'BREW', 'M-SEARCH'];
    await Promise.allSettled(
      paths.flatMap((path, at) =>
        methods.map((method) =>
          client.send(method, `${path}?key=${at}`, { headers: { 'X-Forwarded-Host': `h${at}.example` } }),
        ),
      ),
    );
    const after = await scrape();
    // At most 400, 404 and 405, each for `GET` and `other`.
    expect(after.samplesOf(REQUESTS).length - seriesBefore).toBeLessThanOrEqual(6);
    const routes = new Set(after.samplesOf(REQUESTS).map(({ labels }) => labels.route));
    for (const route of routes) expect(route).toMatch(/^(other|\/[a-z0-9/:_.-]*)$/);
    expect(new Set(after.samplesOf(REQUESTS).map(({ labels }) => labels.method)).has('PROPFIND')).toBe(false);
  });

  it('show waiting callers, the duration of acceptance, and callers who disconnected', async () => {
    const disconnect = new AbortController();
    const acceptances = async () =>
      (await scrape()).value('capture_sync_acceptance_duration_seconds_count') ?? 0;
    const before = await acceptances();
    const calling = client.capture({ url: 'https://example.com' }, { signal: disconnect.signal });
    calling.catch(() => undefined);
    await eventually('a caller waits', async () => (await scrape()).value('capture_sync_callers') === 1);
    await eventually(
      'its capture is seen',
      async () =>
        (await scrape()).value('capture_service_jobs', { lane: 'interactive', state: 'dispatched' }) === 1,
    );
    // The acceptance ends after the commit, by which the capture is seen.
    await eventually('its acceptance is measured', async () => (await acceptances()) === before + 1);
    disconnect.abort();
    await eventually('no caller waits', async () => (await scrape()).value('capture_sync_callers') === 0);
    const after = await scrape();
    expect(after.value('capture_sync_abandoned_total', { reason: 'client_disconnected' })).toBe(1);
    expect(after.value(REQUESTS, { route: '/v1/capture', status: '499' })).toBe(1);
    expect(after.value('capture_service_jobs', { lane: 'interactive', state: 'dispatched' })).toBe(0);
  });

  it('show the same live workers as /v1/health', async () => {
    await api.database.query(
      `INSERT INTO workers (id, slots, busy, healthy, browser, sandbox, filter_lists, features, seen_at)
       SELECT id, slots, busy, healthy, 'Chrome', true, '[]', '{}', now() - age
         FROM (VALUES ('a', 4, 3, 2, interval '0'), ('b', 2, 1, 2, interval '0'), ('gone', 8, 8, 8, interval '1 hour'))
              AS worker (id, slots, busy, healthy, age)`,
    );
    const metrics = await scrape();
    const { checks } = (await (await client.get('/v1/health')).json()) as {
      checks: { workers: { count: number; slots: number; busy: number } };
    };
    expect(checks.workers).toMatchObject({ count: 2, slots: 6, busy: 4 });
    expect(metrics.value('capture_service_workers')).toBe(2);
    expect(metrics.value('capture_service_slots')).toBe(6);
    expect(metrics.value('capture_service_slots_busy')).toBe(4);
    expect(metrics.value('capture_service_slots_healthy')).toBe(4);
  });

  it('count the batches that end', async () => {
    const ended = async (status: string) =>
      (await scrape()).value('capture_service_batches_ended_total', { status });
    expect(await ended('completed')).toBe(0);
    await api.database.query(
      `INSERT INTO batches (id, account_id, status, total, finished_at)
       SELECT gen_random_uuid(), id, 'completed', 0, now() - interval '14 s' FROM accounts`,
    );
    await eventually('the end is counted', async () => ((await ended('completed')) ?? 0) > 0);
    const { rowCount } = await api.database.query('SELECT FROM accounts');
    expect(await ended('completed')).toBe(rowCount);
    expect(await ended('canceled')).toBe(0);
  });

  it('show the pending webhooks', async () => {
    expect((await scrape()).value('capture_service_webhooks_pending')).toBe(0);
    expect((await scrape()).value('capture_service_webhooks_oldest_due_seconds')).toBe(0);
  });
});
