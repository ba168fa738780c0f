import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { json } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { faultIn, stopwatch } from '../support/fault.js';
import { World } from '../support/world.js';

/** The time that docs/usage.md promises, and leeway for clocks and a busy machine. */
const LEASE_MS = 35_000;
const LEEWAY_MS = 10_000;

const LIMIT = 2;

describe('slots', () => {
  let world: World;

  beforeAll(async () => {
    world = await World.open({ apis: 1, workers: 2 });
  }, 120_000);

  afterAll(() => world.close(), 60_000);

  const fault = faultIn('PostgreSQL', () => world);

  fault(
    'slots',
    'are free when the leases of dead workers expire, whatever the timeouts of the captures',
    async () => {
      const client = world.clientOf(await world.account('slots', LIMIT));
      const remaining = async (): Promise<unknown> => {
        const { concurrency } = await json(client.get('/v1/usage'));
        return (concurrency as { remaining: number }).remaining;
      };
      const page = world.site.hold();
      for (let i = 0; i < LIMIT; i++) await world.submit({ url: page.url, timeout_ms: 120_000 }, client);
      await page.visited(LIMIT);
      expect(await remaining()).toBe(0);
      const since = stopwatch();
      await Promise.all(world.workers.map((worker) => world.kill(worker)));
      page.release();
      await eventually('all slots are free', async () => (await remaining()) === LIMIT, LEASE_MS + LEEWAY_MS);
      const free = since();
      await world.restore();
      await world.rows.ended();
      expect(await remaining()).toBe(LIMIT);
      return `free after ${free}`;
    },
  );
});
