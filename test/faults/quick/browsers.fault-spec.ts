import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { BreakableBrowser } from '../support/breakable-browser.js';
import { faultIn, stopwatch } from '../support/fault.js';
import { World } from '../support/world.js';

// A worker without a browser does the same with either queue.
describe('a browser that cannot start', () => {
  const browser = new BreakableBrowser();
  let world: World;

  beforeAll(async () => {
    world = await World.open({ workers: 1, env: browser.settings });
  }, 120_000);

  afterAll(async () => {
    await world.close();
    browser.remove();
  }, 60_000);

  faultIn('PostgreSQL', () => world)(
    'F4',
    'leaves captures queued, and the worker recovers by itself',
    async () => {
      const [worker] = world.workers;
      if (!worker) throw new Error('No worker runs.');
      const isReady = async (): Promise<boolean> => (await fetch(`${worker.url}/readyz`)).status === 200;
      const since = stopwatch();
      await browser.break(worker);
      await eventually('it is not ready', async () => !(await isReady()), 60_000);
      const noticed = since();
      const ids = [
        await world.submit({ url: world.site.page() }),
        await world.submit({ url: world.site.page() }),
      ];
      const tries = (): number => worker.log().split('Trying another browser').length - 1;
      const before = tries();
      await eventually('it tries again and again', () => tries() >= before + 4, 60_000);
      for (const id of ids) expect(await world.rows.job(id)).toMatchObject({ status: 'queued', attempt: 0 });
      expect((await fetch(`${worker.url}/livez`)).status).toBe(200);
      await browser.repair();
      const repaired = stopwatch();
      await eventually('it is ready', isReady, 60_000);
      const ready = repaired();
      await world.rows.succeeded(ids);
      return `readiness off after ${noticed}; ready ${ready} after it could start again, 2 queued captures finished after ${repaired()}`;
    },
  );
});
