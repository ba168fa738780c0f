import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AppProcess } from '../support/app-process.js';
import { prepareApps, type PreparedApps } from '../support/apps.js';
import { BACKENDS } from '../support/backends.js';
import { eventually } from '../support/eventually.js';
import { Exposition } from '../support/exposition.js';
import { FaultProxy } from '../support/fault-proxy.js';
import { freePort } from '../support/free-port.js';

const UP = { database: 1, queue: 1, store: 1, secrets: 1 };

describe.each(BACKENDS)('capture_dependency_up, with the queue in %s', (queue, settings) => {
  let apps: PreparedApps;
  let folder: string;
  let database: FaultProxy;
  let redis: FaultProxy | undefined;
  let metricsPort: number;
  const launched: AppProcess[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'capture-dependencies-'));
    const { REDIS_URL } = await settings();
    apps = await prepareApps(REDIS_URL === undefined ? {} : { REDIS_URL });
    database = await FaultProxy.before(apps.database.url);
    redis = REDIS_URL === undefined ? undefined : await FaultProxy.before(REDIS_URL);
    metricsPort = await freePort();
  }, 120_000);

  afterAll(async () => {
    for (const app of launched) await app.stop();
    await database.close();
    await redis?.close();
    await apps.stop();
    await rm(folder, { recursive: true, force: true });
  }, 60_000);

  const dependencies = async () => {
    const { samples } = await Exposition.scrape(`http://127.0.0.1:${metricsPort}`);
    const ours = samples.filter(({ name }) => name === 'capture_dependency_up');
    return new Map(ours.map(({ labels, value }) => [labels.dependency, value]));
  };
  const shows = (expected: Readonly<Record<string, number>>) =>
    eventually(`the metric shows ${JSON.stringify(expected)}`, async () =>
      isDeepStrictEqual(await dependencies().catch(() => undefined), new Map(Object.entries(expected))),
    );

  it.each(['api', 'worker'] as const)(
    'shows what does not work for the %s, until it works again',
    async (name) => {
      const allUp = name === 'api' ? UP : { ...UP, dns: 1 };
      const files = path.join(folder, name);
      const app = await apps.launch(name, {
        [name === 'api' ? 'METRICS_PORT' : 'WORKER_METRICS_PORT']: String(metricsPort),
        DATABASE_URL: database.proxied(apps.database.url),
        FILES_DIR: files,
        ...(redis && { REDIS_URL: redis.proxied(apps.env.REDIS_URL ?? '') }),
      });
      launched.push(app);
      await app.ready();
      await shows(allUp);

      await rm(files, { recursive: true, force: true });
      await writeFile(files, 'no folder');
      await shows({ ...allUp, store: 0 });
      await rm(files);
      await shows(allUp);

      await database.set('blackhole');
      await shows({ ...allUp, database: 0, ...(queue === 'PostgreSQL' && { queue: 0 }) });
      await database.set('pass');
      await shows(allUp);

      await redis?.set('refuse');
      if (redis) await shows({ ...allUp, queue: 0 });
      await redis?.set('pass');
      await shows(allUp);
      await app.stop();
      launched.pop();
      expect(app.log()).toContain('the store does not work');
    },
    120_000,
  );
});
