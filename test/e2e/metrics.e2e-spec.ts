import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApps, type Apps } from '../support/apps.js';
import { Client, json } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { Exposition } from '../support/exposition.js';
import { FaultProxy } from '../support/fault-proxy.js';
import { startFixtureSite, type FixtureSite } from '../support/fixture-site.js';
import { freePort } from '../support/free-port.js';
import { documentedExpressions } from '../support/promql.js';

describe('the metrics of the service', () => {
  let site: FixtureSite;
  let apps: Apps;
  let client: Client;
  let apiMetrics: string;
  let workerMetrics: string;

  beforeAll(async () => {
    site = await startFixtureSite();
    const [api, worker] = [await freePort(), await freePort()];
    apiMetrics = `http://127.0.0.1:${api}`;
    workerMetrics = `http://127.0.0.1:${worker}`;
    apps = await startApps({
      EGRESS_ALLOW: `127.0.0.1:${site.port}`,
      METRICS_PORT: String(api),
      WORKER_METRICS_PORT: String(worker),
      WORKER_SLOTS: '2',
    });
    client = new Client(apps);
  }, 120_000);

  afterAll(async () => {
    await apps.stop();
    await site.close();
  });

  it('change by exactly what was captured', async () => {
    const before = await Exposition.scrape(workerMetrics);
    const bytes: number[] = [];
    for (const format of ['png', 'jpeg', 'png']) {
      const { bytes: size } = await client.record({ url: `${site.url}/bands.html`, format });
      bytes.push(Number(size));
    }
    const failed = await client.capture({
      url: `${site.url}/bands.html`,
      selector: '#nowhere',
      timeout_ms: 2_000,
    });
    const { code } = (await failed.json()) as { code: string };
    expect(code).toBe('selector_not_found');

    let after = before;
    const grown = (name: string, labels: Record<string, string> = {}) =>
      after.sum(name, labels) - before.sum(name, labels);
    // The worker counts a capture after recording its end, when the caller may already have the response.
    await eventually('all are counted', async () => {
      after = await Exposition.scrape(workerMetrics);
      return grown('capture_ended_total') === 4;
    });
    const succeeded = { status: 'succeeded', code: 'none', source: 'sync' };
    expect(grown('capture_ended_total', { ...succeeded, format: 'png' })).toBe(2);
    expect(grown('capture_ended_total', { ...succeeded, format: 'jpeg' })).toBe(1);
    expect(grown('capture_ended_total', { status: 'failed', code })).toBe(1);
    expect(grown('capture_attempts_total', { outcome: 'succeeded' })).toBe(3);
    expect(grown('capture_attempts_total', { outcome: 'failed' })).toBe(1);
    expect(grown('capture_attempts_total')).toBe(4);
    expect(grown('capture_queue_wait_seconds_count', { lane: 'interactive' })).toBe(4);
    expect(grown('capture_stored_bytes_total')).toBe(bytes.reduce((sum, each) => sum + each, 0));
    for (const phase of ['queue', 'prepare', 'navigate', 'settle', 'render', 'store', 'total']) {
      expect(grown('capture_phase_duration_seconds_count', { phase })).toBe(3);
    }
    expect(
      new Set(after.samplesOf('capture_phase_duration_seconds_count').map(({ labels }) => labels.phase)).size,
    ).toBe(7);
  }, 60_000);

  it('count what the cache answered, for captures, jobs and rows', async () => {
    const scrapes = () => Promise.all([apiMetrics, workerMetrics].map((url) => Exposition.scrape(url)));
    const NAME = 'capture_cache_answers_total';
    const count = async (status: string) =>
      (await scrapes()).reduce((sum, scraped) => sum + scraped.sum(NAME, { status }), 0);
    const page = { url: `${site.url}/bands.html`, cache_ttl_s: 3_600 };
    const { id } = await json(client.post('/v1/bulk/json', { items: [page, page, page] }));
    await json(client.get(`/v1/bulk/${String(id)}?wait=30`));
    await client.capture(page);
    await client.post('/v1/jobs', page);
    const forced = await json(client.post('/v1/jobs', { ...page, force: true }));
    await json(client.get(`/v1/jobs/${String(forced.id)}?wait=30`));
    const expected = { miss: 1, coalesced: 2, hit: 2, bypass: 1, stale: 0 };
    await eventually('all are counted', async () => (await count('bypass')) === 1);
    for (const [status, times] of Object.entries(expected))
      expect([status, await count(status)]).toEqual([status, times]);
  }, 60_000);

  it('count the rows of a batch, and the batch while it runs', async () => {
    const before = await Exposition.scrape(apiMetrics);
    const items = [{ url: `${site.url}/held` }, { url: `${site.url}/` }, { url: 'no address' }];
    const { id } = await json(client.post('/v1/bulk/json', { items, on_invalid: 'skip' }));
    await eventually('the page is visited', () => site.requests('/held').length === 1);
    const during = await Exposition.scrape(apiMetrics);
    const rows = (result: string) =>
      during.sum('capture_batch_rows_total', { result }) - before.sum('capture_batch_rows_total', { result });
    expect([rows('valid'), rows('rejected')]).toEqual([2, 1]);
    expect(during.value('capture_service_batches', { status: 'running' })).toBe(1);
    site.release();
    await json(client.get(`/v1/bulk/${String(id)}?wait=30`));
    const after = await Exposition.scrape(apiMetrics);
    expect(after.value('capture_service_batches', { status: 'running' })).toBe(0);
    expect((await Exposition.scrape(workerMetrics)).value('capture_batches_corrected_total')).toBe(0);
  }, 60_000);

  it('show a busy slot while its capture runs, in the API as in the worker', async () => {
    const capturing = client.capture({ url: `${site.url}/held` });
    await eventually('the page is visited', () => site.requests('/held').length === 2);
    expect((await Exposition.scrape(workerMetrics)).value('capture_worker_slots_busy')).toBe(1);
    const api = await Exposition.scrape(apiMetrics);
    expect(api.value('capture_sync_callers')).toBe(1);
    expect(api.value('capture_service_jobs', { lane: 'interactive', state: 'running' })).toBe(1);
    await eventually(
      'the registry shows it',
      async () => (await Exposition.scrape(apiMetrics)).value('capture_service_slots_busy') === 1,
    );
    const queue = await fetch(`${apiMetrics}/metrics/queue`);
    expect([queue.status, await queue.json()]).toEqual([
      200,
      { queued: 0, running: 1, unfinished: 1, slots: 2, workers: 1 },
    ]);
    const health = (await json(client.get('/v1/health'))) as { checks: { workers: object } };
    expect(health.checks.workers).toMatchObject({ count: 1, slots: 2, busy: 1 });
    site.release();
    expect((await capturing).status).toBe(200);
  }, 60_000);

  it('show slots, browsers and the process of the worker', async () => {
    const scrape = await Exposition.scrape(workerMetrics);
    expect(scrape.value('capture_worker_slots')).toBe(2);
    expect(scrape.value('capture_browsers_ended_total', { reason: 'failed' })).toBe(0);
    expect(scrape.value('capture_egress_requests_total')).toBeGreaterThan(0);
    expect(scrape.value('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThanOrEqual(0);
  });

  it('have every series and label that alerts, dashboard and documentation read', async () => {
    const scrapes = [await Exposition.scrape(apiMetrics), await Exposition.scrape(workerMetrics)];
    // Prometheus adds these.
    const added = ['job', 'instance', 'installation'];
    for (const { place, text, selectors, groupedBy } of documentedExpressions()) {
      const known = new Set(added);
      for (const { metric, labels } of selectors.filter((selector) => selector.metric !== 'up')) {
        const served = scrapes.flatMap((scrape) => scrape.samplesOf(metric));
        const names = new Set(served.flatMap((sample) => Object.keys(sample.labels)));
        expect([place, metric, served.length > 0]).toEqual([place, metric, true]);
        for (const { name, op, value } of labels.filter((label) => !added.includes(label.name))) {
          expect([text, name, names.has(name)]).toEqual([text, name, true]);
          const values = new Set(served.map((sample) => sample.labels[name]));
          // A series that begins with its first event hides it from `increase()`.
          if (op === '=') expect([text, value, values.has(value)]).toEqual([text, value, true]);
        }
        for (const name of names) known.add(name);
      }
      expect([text, groupedBy.filter((name) => !known.has(name))]).toEqual([text, []]);
    }
  });

  it('are served while the database is down, without those that come from it', async () => {
    const proxy = await FaultProxy.before(apps.database.url);
    const metricsPort = await freePort();
    const api = await apps.launch('api', {
      METRICS_PORT: String(metricsPort),
      DATABASE_URL: proxy.proxied(apps.database.url),
    });
    const scrape = () => Exposition.scrape(`http://127.0.0.1:${metricsPort}`);
    try {
      await api.ready();
      expect((await scrape()).value('capture_database_up')).toBe(1);
      for (const fault of ['refuse', 'blackhole'] as const) {
        await proxy.set(fault);
        // A server that does not answer is slow at first.
        await eventually('it is down', async () => (await scrape()).value('capture_database_up') === 0);
        for (let scrapes = 0; scrapes < 3; scrapes += 1) {
          const scraped = await scrape();
          expect(scraped.value('capture_database_up')).toBe(0);
          // A counter keeps its value; a gauge that did would look healthy.
          const gauges = /^capture_service_.*(?<!_total)$/;
          expect(scraped.samples.filter(({ name }) => gauges.test(name))).toEqual([]);
          expect(scraped.value('process_resident_memory_bytes')).toBeGreaterThan(0);
        }
        // No load was read before; the error lets a scaler keep the workers that there are.
        const queue = await fetch(`http://127.0.0.1:${metricsPort}/metrics/queue`);
        expect([queue.status, queue.headers.get('content-type')]).toEqual([
          503,
          'application/problem+json; charset=utf-8',
        ]);
        expect(await queue.json()).toMatchObject({ status: 503, code: 'unavailable' });
        await proxy.set('pass');
        await eventually(
          'the metrics of the service are back',
          async () => (await scrape()).value('capture_service_workers') === 1,
        );
      }
    } finally {
      await proxy.set('pass');
      await api.stop();
      await proxy.close();
    }
  }, 60_000);

  it('prevent a start on a port that is taken, with an error that names the variable', async () => {
    const second = await apps.launch('api', { METRICS_PORT: apps.env.METRICS_PORT ?? '' });
    expect(await second.ended()).toBe(1);
    expect(second.log()).toContain('Set METRICS_PORT to a free port');
    expect(second.log()).not.toContain('    at ');
  }, 60_000);
});
