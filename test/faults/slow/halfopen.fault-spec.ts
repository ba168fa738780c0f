import { afterAll, beforeAll, describe } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { FaultProxy } from '../../support/fault-proxy.js';
import { faultIn } from '../support/fault.js';
import { stopwatch } from '../support/report.js';
import { QUEUES } from '../support/servers.js';
import { World } from '../support/world.js';

/** Slow: a connection is silent for 45 s before it is given up. */
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
          DATABASE_URL: proxy.through(world.servers.postgres.url),
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
        // Else its farewell to who is not there any more takes the whole grace.
        proxy.cut();
        await worker.stop();
        return `finished ${finished}, ready ${ready}`;
      } finally {
        await proxy.close();
      }
    },
    400_000,
  );
});
