import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { Client } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { FaultProxy } from '../../support/fault-proxy.js';
import { faultIn, stopwatch } from '../support/fault.js';
import { QUEUES } from '../support/servers.js';
import { World } from '../support/world.js';

/** Long enough that each pool has started to connect. */
const MUTE_MS = 10_000;

// Slow, because a connection is given up after 45 s of silence.
describe.each(QUEUES)('a database that vanished, with the queue in %s', (queue) => {
  let world: World;

  beforeAll(async () => {
    world = await World.open({ queue, workers: 1 });
  }, 120_000);

  afterAll(() => world.close(), 60_000);

  faultIn(queue, () => world)(
    'F13',
    'half open',
    async () => {
      const proxy = await FaultProxy.before(world.servers.postgres.url);
      try {
        for (const usual of world.workers) await usual.stop();
        const worker = await world.start('worker', {
          DATABASE_URL: proxy.proxied(world.servers.postgres.url),
        });
        const first = await world.submit({ url: world.site.page() });
        await world.rows.succeeded([first]);
        const page = world.site.hold();
        const held = await world.submit({
          url: page.url,
          navigation_timeout_ms: 110_000,
          timeout_ms: 120_000,
        });
        await page.visited();
        proxy.freeze();
        const since = stopwatch();
        page.release();
        const next = await world.submit({ url: world.site.page() });
        await world.rows.succeeded([next, held], 180_000);
        const finished = since();
        await eventually('ready', async () => (await fetch(`${worker.url}/readyz`)).status === 200, 60_000);
        const ready = since();
        // Otherwise the goodbye on dead connections takes the whole grace period.
        proxy.cut();
        await worker.stop();
        return `finished ${finished}, ready ${ready}`;
      } finally {
        await proxy.close();
      }
    },
    400_000,
  );

  faultIn(queue, () => world)(
    'F30',
    'unanswered connection attempts end, and the worker recovers by itself',
    async () => {
      const { servers } = world;
      const through = servers.redis ? 'REDIS_URL' : 'DATABASE_URL';
      const url = servers.redis?.url ?? servers.postgres.url;
      const proxy = await FaultProxy.before(url);
      try {
        for (const usual of world.workers) await usual.stop();
        const worker = await world.start('worker', { [through]: proxy.proxied(url) });
        const isReady = async (): Promise<boolean> => (await fetch(`${worker.url}/readyz`)).status === 200;
        await proxy.set('blackhole');
        await eventually('it is not ready', async () => !(await isReady()));
        await sleep(MUTE_MS);
        proxy.answerAgain();
        const since = stopwatch();
        await eventually('it is ready', isReady, 90_000);
        const ready = since();
        await world.rows.succeeded([await world.submit({ url: world.site.page() })]);
        await worker.stop();
        return `mute for ${MUTE_MS / 1_000} s: ready ${ready} after new connections were answered, a capture done after ${since()}`;
      } finally {
        await proxy.close();
      }
    },
    240_000,
  );

  if (queue === 'Redis')
    faultIn(queue, () => world)(
      'F31',
      'lost connections to Redis are replaced',
      async () => {
        const url = world.servers.redis?.url ?? '';
        const proxy = await FaultProxy.before(url);
        try {
          for (const usual of world.workers) await usual.stop();
          const worker = await world.start('worker', { REDIS_URL: proxy.proxied(url) });
          await world.rows.succeeded([await world.submit({ url: world.site.page() })]);
          proxy.freeze();
          const since = stopwatch();
          await world.rows.succeeded([await world.submit({ url: world.site.page() })]);
          const finished = since();
          await worker.stop();
          return `a capture finished ${finished} after all connections were dead`;
        } finally {
          await proxy.close();
        }
      },
      240_000,
    );

  if (queue === 'PostgreSQL')
    faultIn(queue, () => world)(
      'F32',
      'a caller gets a response soon while the database is silent',
      async () => {
        const { url } = world.servers.postgres;
        const proxy = await FaultProxy.before(url);
        try {
          const api = await world.start('api', { DATABASE_URL: proxy.proxied(url) });
          const client = new Client({ url: api.url, key: world.firstKey });
          expect((await client.get('/v1/usage')).status).toBe(200);
          proxy.fallSilent();
          const since = performance.now();
          const answer = await client.post('/v1/jobs', { url: world.site.page() });
          const waitedMs = performance.now() - since;
          expect(answer.status).toBe(503);
          // It finds that its connections are silent, and waits 10 s for a new one; the rest is for a busy machine.
          expect(waitedMs).toBeLessThan(20_000);
          proxy.cut();
          await api.stop();
          return `503 after ${(waitedMs / 1_000).toFixed(1)} s`;
        } finally {
          await proxy.close();
        }
      },
    );
});
