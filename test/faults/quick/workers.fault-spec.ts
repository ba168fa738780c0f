import { rename, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import type { WorkerList, WorkerRecord } from '@capture-service/client';
import { json } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { faultIn, stopwatch } from '../support/fault.js';
import { browserGroups } from '../support/process-state.js';
import { busyBrowser, renderersOf, workerAt } from '../support/workers.js';
import { QUEUES } from '../support/servers.js';
import { World, type Member } from '../support/world.js';

describe.each(QUEUES)('faults of workers, with the queue in %s', (queue) => {
  let world: World;

  beforeAll(async () => {
    world = await World.open({ queue, env: { SHUTDOWN_GRACE_MS: '5000' } });
  }, 120_000);

  afterAll(() => world.close(), 60_000);

  const fault = faultIn(queue, () => world);

  /** Resolves once the worker has left the registry, and so takes no more captures. */
  const leaves = async ({ pid }: Member): Promise<void> => {
    const isGone = async (): Promise<boolean> => {
      const rows = await world.rows.query('SELECT id FROM workers WHERE id LIKE $1', [`%:${pid}:%`]);
      return rows.length === 0;
    };
    await eventually('the worker leaves', isGone);
  };

  /** A key of an operator, which works at every API. */
  const adminKey = async (): Promise<string> => {
    const words = ['create', '--account', 'default', '--scopes', 'admin', '--json'];
    return (JSON.parse(await world.script('dist/scripts/keys.js', words)) as { key: string }).key;
  };

  // The file store does not depend on the queue.
  if (queue === 'PostgreSQL')
    fault('F29', 'rows of a batch wait while the store takes no files', async () => {
      const { client, site, servers } = world;
      const incoming = path.join(servers.folder, 'data/files/incoming');
      const url = site.page();
      const answer = await client.post('/v1/bulk/json', {
        items: Array.from({ length: 20 }, () => ({ url })),
      });
      const batch = async () =>
        (await json(client.get(`/v1/bulk/${id}`))) as { counts: Record<string, number> };
      const id = String((await json(answer)).id);
      await eventually('some rows are done', async () => Number((await batch()).counts.succeeded) > 0);
      // Not even root can write into it now.
      await rename(incoming, `${incoming}.aside`);
      await writeFile(incoming, '');
      const noticed = (worker: Member): boolean => worker.log().includes('The store takes no files');
      await eventually('each worker has noticed', () => world.workers.every(noticed));
      // Longer than the backoff between the attempts of a job.
      await sleep(3_000);
      await rm(incoming);
      await rename(`${incoming}.aside`, incoming);
      const since = stopwatch();
      await eventually('all rows are done', async () => (await batch()).counts.succeeded === 20, 60_000);
      return `none of 20 rows failed; all done ${since()} after the store took files again`;
    });

  fault(
    'F2',
    'a browser that is killed costs its capture an attempt, and other captures nothing',
    async () => {
      const [lost, other] = [world.site.hold(), world.site.hold()];
      const ids = await Promise.all([lost, other].map(({ url }) => world.submit({ url })));
      await Promise.all([lost.visited(), other.visited()]);
      const worker = workerAt(world, lost);
      const browser = busyBrowser(worker);
      const neighbours = world.workers
        .flatMap(({ pid }) => [...browserGroups(pid)])
        .filter((pid) => pid !== browser);
      const since = stopwatch();
      process.kill(browser, 'SIGKILL');
      await lost.visited(2);
      const again = since();
      await eventually('the slot has a browser again', () => {
        const groups = browserGroups(worker.pid);
        return groups.size === 2 && !groups.has(browser);
      });
      const healed = since();
      const left = world.workers.flatMap(({ pid }) => [...browserGroups(pid)]);
      expect(left).toEqual(expect.arrayContaining(neighbours));
      expect(other.visits).toBe(1);
      lost.release();
      other.release();
      for (const [index, id] of ids.entries()) {
        await world.rows.moved(id, 'succeeded');
        expect(await world.rows.job(id)).toMatchObject({ attempt: index === 0 ? 2 : 1 });
      }
      return `running again after ${again}, slot healed after ${healed}, neighbours undisturbed`;
    },
  );

  fault('F3', 'a renderer that is killed costs its capture an attempt', async () => {
    const image = world.site.hold();
    const url = world.site.page(`<title>Waits</title><img src="${image.url}">`);
    const id = await world.submit({ url });
    await image.visited();
    const since = stopwatch();
    for (const pid of renderersOf(busyBrowser(workerAt(world, image)))) process.kill(pid, 'SIGKILL');
    await image.visited(2);
    const again = since();
    image.release();
    await world.rows.moved(id, 'succeeded');
    expect(await world.rows.job(id)).toMatchObject({ attempt: 2 });
    return `running again after ${again}`;
  });

  // The lanes of both queues are tested by apps/worker/src/captures/lanes.int-spec.ts.
  if (queue === 'PostgreSQL')
    fault(
      'F55',
      'a worker that drains finishes its capture, takes no other one, and takes them again',
      async () => {
        const key = await adminKey();
        const page = world.site.hold();
        const id = await world.submit({ url: page.url });
        await page.visited();
        const worker = workerAt(world, page);
        const list = async (): Promise<WorkerRecord[]> =>
          ((await json(world.clientOf(key).get('/v1/admin/workers'))) as unknown as WorkerList).items;
        const drained = (await list()).find(({ captures }) => captures.some((capture) => capture.id === id));
        const ask = (what: string) =>
          world.clientOf(key).send('POST', `/v1/admin/workers/${drained?.id ?? ''}/${what}`);
        const stateOf = async () => (await list()).find((each) => each.id === drained?.id)?.state;
        const ready = async (): Promise<[number, boolean]> => {
          const response = await fetch(`${worker.url}/readyz`);
          return [response.status, (await response.text()).includes('"state":"draining"')];
        };
        const since = stopwatch();
        expect(await json(ask('drain'))).toMatchObject({ state: 'draining', host: os.hostname() });
        await eventually('the worker drains', async () => String(await ready()) === '503,true');
        const noticed = since();
        for (const api of world.apis) {
          api.kill('SIGTERM');
          await api.ended();
        }
        await world.start('api');
        const others = await Promise.all([1, 2, 3].map(() => world.submit({ url: world.site.page() })));
        for (const other of others) await world.rows.moved(other, 'succeeded');
        expect(await stateOf()).toBe('draining');
        page.release();
        await world.rows.moved(id, 'succeeded');
        expect(await world.rows.job(id)).toMatchObject({ attempt: 1 });
        await eventually('it has drained', async () => (await stateOf()) === 'drained');
        const movers = await world.rows.query<{ worker_id: string }>(
          `SELECT DISTINCT worker_id FROM seen_moves WHERE job_id = ANY($1) AND worker_id IS NOT NULL`,
          [others],
        );
        expect(movers).toHaveLength(1);
        expect(movers[0]?.worker_id).not.toContain(drained?.id);
        await ask('resume');
        await eventually('it takes captures again', async () => (await ready())[0] === 200);
        return `drains after ${noticed}, also across a restart of the API; the other worker made 3 captures meanwhile`;
      },
    );

  fault('F5', 'a worker that receives SIGTERM finishes its captures', async () => {
    const page = world.site.hold();
    const id = await world.submit({ url: page.url });
    await page.visited();
    const worker = workerAt(world, page);
    const since = stopwatch();
    worker.kill('SIGTERM');
    await leaves(worker);
    page.release();
    expect(await worker.ended()).toBe(0);
    const ended = since();
    expect(await world.rows.moves(id)).toMatchObject(
      ['queued', 'running', 'succeeded'].map((status) => ({ status })),
    );
    return `capture finished in its first attempt, worker ended with 0 after ${ended}`;
  });

  fault('F6', 'a worker whose grace period is over hands its capture to another one at once', async () => {
    const page = world.site.hold();
    const id = await world.submit({ url: page.url });
    await page.visited();
    const worker = workerAt(world, page);
    const since = stopwatch();
    worker.kill('SIGTERM');
    await page.visited(2);
    const again = since();
    expect(await worker.ended()).toBe(0);
    page.release();
    await world.rows.moved(id, 'succeeded');
    expect(await world.rows.job(id)).toMatchObject({ attempt: 2, failures: 0, losses: 0 });
    return `running elsewhere ${again} after SIGTERM with a grace of 5 s, counted as no failure`;
  });
});
