import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AppProcess } from '../support/app-process.js';
import { startApps, type Apps } from '../support/apps.js';
import { BACKENDS } from '../support/backends.js';
import { Client, json } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { startFixtureSite, type FixtureSite } from '../support/fixture-site.js';
import { descendants, processes } from '../support/processes.js';

describe.each(BACKENDS)('after the death of a worker, with the queue in %s', (_, settings) => {
  let site: FixtureSite;
  let apps: Apps;
  let second: AppProcess | undefined;

  beforeAll(async () => {
    site = await startFixtureSite();
    apps = await startApps({
      ...(await settings()),
      EGRESS_ALLOW: `127.0.0.1:${site.port}`,
      WORKER_SLOTS: '1',
    });
  }, 120_000);

  afterAll(async () => {
    await second?.stop();
    await apps.stop();
    await site.close();
  });

  it('another worker finishes its capture, for the caller that still waits, and charges once', async () => {
    const client = new Client(apps);
    const capturing = client.capture({ url: `${site.url}/held`, timeout_ms: 60_000 });
    await eventually('the page is visited', () => site.requests('/held').length === 1);
    const browsers = descendants(apps.worker.pid).map(({ pid }) => pid);
    apps.worker.kill('SIGKILL');
    await apps.worker.ended();
    second = await apps.launch('worker');
    await second.ready();
    await apps.endLeases();
    await eventually('the page is visited again', () => site.requests('/held').length === 2, 60_000);
    site.release();

    const response = await capturing;
    expect(response.status).toBe(200);
    const record = await json(client.get(`/v1/captures/${response.headers.get('x-capture-id') ?? ''}`));
    expect(record).toMatchObject({ status: 'succeeded', attempts: 2 });
    expect(await json(client.get('/v1/usage'))).toMatchObject({ used: 1 });
    await eventually('the browsers of the dead worker are gone', () => {
      const running = new Set(processes().map(({ pid }) => pid));
      return !browsers.some((pid) => running.has(pid));
    });
  }, 120_000);
});
