import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, it } from '@jest/globals';
import type { Scrape } from '../../operations/support/recording.js';
import { BreakableBrowser } from '../support/breakable-browser.js';
import { Installation, record, sumOf } from '../support/installation.js';
import { EVERY_QUEUE } from '../support/servers.js';
import { workerAt } from '../support/workers.js';
import { World } from '../support/world.js';

// Slow, because leases, heartbeats and retries take their time.
describe('what the metrics show of a fault', () => {
  let world: World;
  let installation: Installation;

  beforeAll(async () => {
    const env = { HOST_CONCURRENCY: '50' };
    world = await World.open({ queue: EVERY_QUEUE.at(-1) ?? 'PostgreSQL', apis: 0, workers: 0, env });
    installation = new Installation(world);
  }, 120_000);

  beforeEach(() => installation.restore(2), 120_000);

  afterAll(() => world.close(), 60_000);

  const recorded = (name: string, cause: () => Promise<Scrape>) => {
    it(name, () => record(name, installation, cause), 400_000);
  };

  recorded('queue-down', async () => {
    const { redis, postgres } = world.servers;
    await (redis ?? postgres).stop();
    if (redis) await world.submit({ url: world.site.page() });
    const during = await installation.until('the queue is down for both', (scrape) => {
      return sumOf(scrape, 'capture_dependency_up', 'queue') === 0;
    });
    await (redis ?? postgres).start();
    return during;
  });

  recorded('database-down', async () => {
    await world.servers.postgres.crash();
    for (let count = 0; count < 3; count += 1)
      await world.client.post('/v1/jobs', { url: world.site.page() });
    const during = await installation.until(
      'the database is down',
      (scrape) => sumOf(scrape, 'capture_dependency_up', 'database') === 0,
    );
    await world.servers.postgres.start();
    return during;
  });

  recorded('store-down', async () => {
    const folder = path.join(world.servers.folder, 'data/files');
    await rm(folder, { recursive: true, force: true });
    await writeFile(folder, 'no folder');
    for (let count = 0; count < 3; count += 1) await world.client.capture({ url: world.site.page() });
    const during = await installation.until(
      'the store is down for all',
      (scrape) =>
        sumOf(scrape, 'capture_dependency_up', 'store') === 0 &&
        sumOf(scrape, 'capture_ended_total', 'storage_unavailable') >= 3,
    );
    await rm(folder);
    await mkdir(folder);
    return during;
  });

  recorded('endpoint-down', async () => {
    await world.receiver.down();
    const id = await world.submit({ url: world.site.page() });
    await world.rows.succeeded([id]);
    const during = await installation.until(
      'the delivery is tried again',
      (scrape) => sumOf(scrape, 'capture_webhook_attempts_total', 'retried') >= 1,
    );
    await world.receiver.up();
    return during;
  });

  recorded('worker-killed', async () => {
    const page = world.site.hold();
    await world.submit({ url: page.url });
    await page.visited();
    await world.kill(workerAt(world, page));
    const during = await installation.until(
      'another worker has noticed',
      (scrape) => sumOf(scrape, 'capture_attempts_total', 'abandoned') >= 1,
    );
    page.release();
    return during;
  });

  recorded('worker-stopped', async () => {
    const page = world.site.hold();
    await world.submit({ url: page.url });
    await page.visited();
    workerAt(world, page).kill('SIGSTOP');
    const during = await installation.until(
      'another worker has noticed',
      (scrape) => sumOf(scrape, 'capture_attempts_total', 'abandoned') >= 1,
    );
    page.release();
    return during;
  });

  recorded('poison', async () => {
    const poison = world.site.hold();
    const id = await world.submit({ url: poison.url });
    for (const death of [1, 2]) {
      await poison.visited(death);
      await world.kill(workerAt(world, poison));
      await installation.start('worker');
    }
    await world.rows.moved(id, 'failed');
    return installation.until(
      'the failure is counted',
      (scrape) => sumOf(scrape, 'capture_ended_total', 'worker_lost') >= 1,
    );
  });

  recorded('more-captures-than-slots', async () => {
    const page = world.site.hold();
    const client = world.clientOf(await world.account('many', 50));
    for (let count = 0; count < 20; count += 1) await world.submit({ url: page.url }, client);
    await page.visited();
    // Background work alone never fills the slots that are kept for callers.
    const callers = Array.from({ length: 6 }, () => client.capture({ url: page.url }));
    const during = await installation.until('captures wait for a slot, and others behind them', (scrape) => {
      const jobs = (state: string) => sumOf(scrape, 'capture_service_jobs', `state="${state}"`);
      const slots = sumOf(scrape, 'capture_service_slots');
      return jobs('dispatched') + jobs('running') > slots && jobs('waiting') > 0;
    });
    page.release();
    await Promise.all(callers);
    return during;
  });

  recorded('no-worker', async () => {
    for (const worker of world.workers) await world.kill(worker);
    await world.client.capture({ url: world.site.page() });
    return installation.until(
      'no worker is known',
      (scrape) =>
        sumOf(scrape, 'capture_service_workers') === 0 &&
        sumOf(scrape, 'capture_sync_abandoned_total', 'overloaded') >= 1,
    );
  });

  recorded('no-api', async () => {
    for (const api of world.apis) await world.kill(api);
    return installation.scrape();
  });
});

describe('what the metrics show of a worker without a browser', () => {
  const browser = new BreakableBrowser();
  let world: World;

  beforeAll(async () => {
    world = await World.open({ apis: 0, workers: 0, env: browser.settings });
  }, 120_000);

  afterAll(async () => {
    await world.close();
    browser.remove();
  }, 60_000);

  it('browser-broken', async () => {
    const installation = new Installation(world);
    await installation.restore(1);
    await record('browser-broken', installation, async () => {
      for (const worker of world.workers) await browser.break(worker);
      return installation.until(
        'browsers have failed to start',
        (scrape) =>
          sumOf(scrape, 'capture_browsers_ended_total', 'failed') >= 6 &&
          sumOf(scrape, 'capture_service_slots_healthy') === 0,
      );
    });
  }, 400_000);
});
