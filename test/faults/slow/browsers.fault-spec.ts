import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { BreakableBrowser } from '../support/breakable-browser.js';
import { faultIn, stopwatch } from '../support/fault.js';
import { browserGroups } from '../support/process-state.js';
import { workerAt } from '../support/workers.js';
import { World, type Member } from '../support/world.js';

const LIVENESS_OFF_WITHIN_MS = 420_000;

// Slow, because an idle browser is only checked every 10 s.
describe('a worker that lacks resources', () => {
  let world: World;

  beforeAll(async () => {
    world = await World.open({ workers: 1 });
  }, 120_000);

  afterAll(() => world.close(), 60_000);

  const fault = faultIn('PostgreSQL', () => world);
  const onlyWorker = (): Member => {
    const [worker] = world.workers;
    if (!worker) throw new Error('No worker runs.');
    return worker;
  };

  fault('F33', 'idle browsers that hang are replaced before they get a capture', async () => {
    const { pid } = onlyWorker();
    const mute = browserGroups(pid);
    for (const group of mute) process.kill(-group, 'SIGSTOP');
    const since = stopwatch();
    await eventually('other browsers run', () => {
      const groups = [...browserGroups(pid)];
      return groups.length === mute.size && groups.every((group) => !mute.has(group));
    });
    const replaced = since();
    const id = await world.submit({ url: world.site.page() });
    await world.rows.succeeded([id]);
    expect(await world.rows.job(id)).toMatchObject({ attempt: 1 });
    return `replaced after ${replaced}; the next capture succeeded at once`;
  });

  fault('F34', 'a worker without file descriptors delivers no page with missing images', async () => {
    const { site } = world;
    const { pid, log } = onlyWorker();
    const image = site.page((_, response) => {
      response.writeHead(200, {
        'content-type': 'image/svg+xml',
        connection: 'close',
        'cache-control': 'no-store',
      });
      response.end('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
    });
    const images = Array.from({ length: 64 }, (_, n) => `<img src="${image}?${n}">`).join('');
    const usual = (await limitFiles(pid)).soft;
    await limitFiles(pid, (await readdir(`/proc/${pid}/fd`)).length + 4);
    const id = await world.submit({ url: site.page(images) });
    await eventually('it logs the reason', () => log().includes('no file descriptor left'));
    await world.rows.moved(id, 'queued', { times: 2 });
    await limitFiles(pid, usual);
    const since = stopwatch();
    await world.rows.succeeded([id]);
    expect(await world.rows.job(id)).toMatchObject({ failed_requests: 0 });
    return `tried again, and whole ${since()} after there were descriptors`;
  });
});

// Slow, because a silence of 5 s shows that a browser hangs.
describe('a worker whose only browser hangs during a capture', () => {
  let world: World;

  beforeAll(async () => {
    world = await World.open({ workers: 1, env: { WORKER_SLOTS: '1' } });
  }, 120_000);

  afterAll(() => world.close(), 60_000);

  faultIn('PostgreSQL', () => world)('F33', 'replaces it, and makes the capture again', async () => {
    const { site, rows } = world;
    const page = site.hold();
    const id = await world.submit({ url: page.url });
    await page.visited();
    for (const group of browserGroups(workerAt(world, page).pid)) process.kill(-group, 'SIGSTOP');
    const since = stopwatch();
    await rows.moved(id, 'queued', { times: 2 });
    const noticed = since();
    page.release();
    await rows.succeeded([id]);
    expect(await rows.job(id)).toMatchObject({ attempt: 2, failures: 1, losses: 0 });
    return `queued again ${noticed} after its browser was stopped, and captured after ${since()}`;
  });
});

// Slow, because a worker has 5 minutes before its liveness probe fails.
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
    'fails the liveness probe of its worker, which still recovers by itself',
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
      await browser.repair();
      const repaired = stopwatch();
      await eventually('it is alive', isLive, 60_000);
      return `liveness off after ${off}, on again ${repaired()} after the browser could start`;
    },
    2 * LIVENESS_OFF_WITHIN_MS,
  );
});

/** Returns the limit of a process's open files, and sets it when one is given. */
async function limitFiles(pid: number, soft?: number): Promise<{ soft: number }> {
  const run = promisify(execFile);
  const words = ['--pid', String(pid), '--noheadings', '--raw', '--output', 'SOFT', '--nofile'];
  const { stdout } = await run('prlimit', words);
  if (soft !== undefined) await run('prlimit', ['--pid', String(pid), `--nofile=${soft}:`]);
  return { soft: Number(stdout) };
}
