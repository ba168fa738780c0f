import net from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Test, type TestingModule } from '@nestjs/testing';
import { ConfigModule, loadEnv } from '@app/config';
import { StartupError } from '@app/kernel';
import { Exposition } from '../../../test/support/exposition.js';
import { freePort } from '../../../test/support/free-port.js';
import { MetricsService, MetricsServerModule } from './index.js';

describe(MetricsServerModule.name, () => {
  let port: number;
  let url: string;
  const open: TestingModule[] = [];

  beforeEach(async () => {
    port = await freePort();
    url = `http://127.0.0.1:${port}`;
  });

  afterEach(async () => {
    await Promise.all(open.splice(0).map((module) => module.close()));
  });

  const start = async (settings: Record<string, string> = { METRICS_PORT: String(port) }) => {
    const module = await Test.createTestingModule({
      imports: [
        ConfigModule.forEnvironment(loadEnv(settings)),
        MetricsServerModule.forAddress('METRICS_PORT'),
      ],
    }).compile();
    module.useLogger(false);
    await module.init();
    open.push(module);
    return module.get(MetricsService, { strict: false });
  };

  it('serves counters, gauges and histograms in the format of Prometheus', async () => {
    const metrics = await start();
    metrics
      .counter({ kind: 'counter', name: 'capture_a_total', help: 'A.', labels: ['of'] })
      .inc({ of: 'a "b"\n' }, 2);
    metrics.gauge({ kind: 'gauge', name: 'capture_b', help: 'B.', labels: [] }).set(3);
    metrics
      .histogram({ kind: 'histogram', name: 'capture_c_seconds', help: 'C.', labels: [], buckets: [1, 2] })
      .observe(1.5);

    const response = await fetch(`${url}/metrics`);
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const scrape = Exposition.parse(await response.text());
    expect(scrape.value('capture_a_total', { of: 'a "b"\n' })).toBe(2);
    expect(scrape.value('capture_b')).toBe(3);
    expect(scrape.value('capture_c_seconds_bucket', { le: '1' })).toBe(0);
    expect(scrape.value('capture_c_seconds_bucket', { le: '2' })).toBe(1);
    expect(scrape.value('capture_c_seconds_sum')).toBe(1.5);
  });

  it('begins the series of known values with 0, and others with their first event', async () => {
    const metrics = await start();
    metrics
      .counter({ kind: 'counter', name: 'capture_a_total', help: 'A.', labels: ['of'] }, { of: ['b', 'c'] })
      .inc({ of: 'd' });
    metrics
      .counter({ kind: 'counter', name: 'capture_unknown_total', help: 'U.', labels: ['of'] })
      .inc({ of: 'd' });
    metrics.histogram(
      { kind: 'histogram', name: 'capture_e_seconds', help: 'E.', labels: ['of'], buckets: [1] },
      { of: ['b'] },
    );
    const scrape = await Exposition.scrape(url);
    expect(scrape.samplesOf('capture_a_total').map(({ labels, value }) => [labels.of, value])).toEqual([
      ['b', 0],
      ['c', 0],
      ['d', 1],
    ]);
    expect(scrape.samplesOf('capture_unknown_total')).toHaveLength(1);
    expect(scrape.value('capture_e_seconds_count', { of: 'b' })).toBe(0);
  });

  it('includes the process and the lag of its event loop', async () => {
    await start();
    const scrape = await Exposition.scrape(url);
    expect(scrape.value('process_resident_memory_bytes')).toBeGreaterThan(1e6);
    expect(scrape.value('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThanOrEqual(0);
  });

  it('refreshes gauges before it responds to a scrape', async () => {
    const metrics = await start();
    const gauge = metrics.gauge({ kind: 'gauge', name: 'capture_n', help: 'N.', labels: [] });
    let scrapes = 0;
    metrics.beforeScrape(async () => {
      await Promise.resolve();
      gauge.set(++scrapes);
    });
    expect((await Exposition.scrape(url)).value('capture_n')).toBe(1);
    expect((await Exposition.scrape(url)).value('capture_n')).toBe(2);
  });

  it('serves no other path and no other method', async () => {
    await start();
    expect((await fetch(`${url}/`)).status).toBe(404);
    expect((await fetch(`${url}/metrics/`)).status).toBe(404);
    expect((await fetch(`${url}/metrics`, { method: 'POST', body: 'a' })).status).toBe(405);
    expect((await fetch(`${url}/metrics`, { method: 'HEAD' })).status).toBe(200);
  });

  it('responds with 500 to a failed scrape and serves the next', async () => {
    const metrics = await start();
    let isBroken = true;
    metrics.beforeScrape(() => {
      if (isBroken) throw new Error('broken');
    });
    expect((await fetch(`${url}/metrics`)).status).toBe(500);
    isBroken = false;
    expect((await fetch(`${url}/metrics`)).status).toBe(200);
  });

  it('closes although a scraper keeps its connection open', async () => {
    await start();
    const scraper = net.connect(port, '127.0.0.1');
    const ended = new Promise((resolve) => scraper.once('close', resolve));
    await new Promise((resolve) => {
      scraper.once('data', resolve).write('GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n');
    });
    await open.pop()?.close();
    await ended;
    await expect(fetch(`${url}/metrics`)).rejects.toThrow();
  });

  it('serves nothing with port 0', async () => {
    const metrics = await start({ METRICS_PORT: '0' });
    expect(await metrics.expose()).not.toMatch(/^[^#\n]/m);
  });

  it('refuses to start on a taken port, naming the variable', async () => {
    await start();
    const failure = await start().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StartupError);
    expect(String(failure)).toContain('METRICS_PORT');
  });
});
