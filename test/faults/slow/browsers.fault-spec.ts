import { afterAll, beforeAll, describe } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { BreakableBrowser } from '../support/breakable-browser.js';
import { faultIn } from '../support/fault.js';
import { stopwatch } from '../support/report.js';
import { World } from '../support/world.js';

const LIVENESS_OFF_WITHIN_MS = 420_000;

// Slow, for a worker has 5 minutes before its liveness says that only another process can help.
describe('a browser that cannot start for 5 minutes', () => {
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
    'ends the liveness of its worker, which still heals by itself',
    async () => {
      const [worker] = world.workers;
      if (!worker) throw new Error('No worker runs.');
      const isLive = async (): Promise<boolean> => (await fetch(`${worker.url}/livez`)).status === 200;
      const id = await world.submit({ url: world.site.page() });
      await world.rows.moved(id, 'succeeded');
      const since = stopwatch();
      await browser.break(worker);
      await eventually('it is not alive', async () => !(await isLive()), LIVENESS_OFF_WITHIN_MS);
      const off = since();
      await browser.mend();
      const mended = stopwatch();
      await eventually('it is alive', isLive, 60_000);
      return `liveness off after ${off}, on again ${mended()} after the browser could start`;
    },
    2 * LIVENESS_OFF_WITHIN_MS,
  );
});
