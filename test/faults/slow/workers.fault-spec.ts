import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { json } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { faultIn, stopwatch } from '../support/fault.js';
import { alive } from '../support/process-state.js';
import { hasLock, stopWhileDispatching, workerAt } from '../support/workers.js';
import { QUEUES } from '../support/servers.js';
import { World, type Member } from '../support/world.js';

// Slow, because a dead worker is only noticed when its lease expires, after 20 s.
describe.each(QUEUES)('faults that take a lease to notice, with the queue in %s', (queue) => {
  let world: World;

  beforeAll(async () => {
    world = await World.open({ queue });
  }, 120_000);

  afterAll(() => world.close(), 60_000);

  const fault = faultIn(queue, () => world);

  fault('F1', 'a worker that is killed loses its capture to another', async () => {
    const page = world.site.hold();
    const id = await world.submit({ url: page.url });
    await page.visited();
    const worker = workerAt(world, page);
    const since = stopwatch();
    await world.kill(worker);
    await eventually('its browsers are gone', () => alive(worker.browsers).length === 0);
    const gone = since();
    await page.visited(2);
    const again = since();
    page.release();
    await world.rows.moved(id, 'succeeded');
    expect(await world.rows.job(id)).toMatchObject({ attempt: 2, losses: 1, failures: 0 });
    return `Chromium gone after ${gone}, running again after ${again}, charged once`;
  });

  fault('F1', 'a worker that is killed during a batch costs it no row', async () => {
    const page = world.site.hold();
    const quick = world.site.page();
    const items = Array.from({ length: 30 }, (_, i) => ({ url: i === 10 ? page.url : quick }));
    const answer = await world.client.post('/v1/bulk/json', { items, webhook_url: world.receiver.url });
    const id = String((await json(answer)).id);
    await page.visited();
    const since = stopwatch();
    await world.kill(workerAt(world, page));
    await page.visited(2);
    const again = since();
    page.release();
    await eventually('its end is announced', () => world.receiver.about(id).length > 0, 90_000);
    expect(await json(world.client.get(`/v1/bulk/${id}`))).toMatchObject({
      status: 'completed',
      counts: { queued: 0, running: 0, succeeded: 30, failed: 0, canceled: 0 },
    });
    return `running again after ${again}, 30 of 30 rows captured, counted and told of once`;
  });

  fault('F6', 'a second SIGTERM ends a worker at once, and its capture goes to another one', async () => {
    const page = world.site.hold();
    const id = await world.submit({ url: page.url });
    await page.visited();
    const worker = workerAt(world, page);
    world.noteBrowsers();
    const since = stopwatch();
    worker.kill('SIGTERM');
    await eventually('it is not ready', async () => (await fetch(`${worker.url}/readyz`)).status === 503);
    worker.kill('SIGTERM');
    expect(await worker.ended()).toBe(143);
    const ended = since();
    await page.visited(2);
    const again = since();
    page.release();
    await world.rows.moved(id, 'succeeded');
    expect(await world.rows.job(id)).toMatchObject({ attempt: 2, losses: 0 });
    return `second SIGTERM: ended with 143 after ${ended}, running elsewhere after ${again}`;
  });

  fault('F20', 'a worker that was stopped for longer than its lease changes no row', async () => {
    const page = world.site.hold();
    const id = await world.submit({ url: page.url });
    await page.visited();
    const worker = workerAt(world, page);
    const since = stopwatch();
    worker.kill('SIGSTOP');
    await page.visited(2);
    const again = since();
    page.release();
    await world.rows.moved(id, 'succeeded');
    const ended = await world.rows.job(id);
    worker.kill('SIGCONT');
    const saw = (): boolean => /"msg":"capture stopped"|"finished":false/.test(worker.log());
    await eventually('the first worker has noticed that it lost its lease', saw);
    expect(await world.rows.job(id)).toEqual(ended);
    expect(ended).toMatchObject({ status: 'succeeded', attempt: 2 });
    await worker.ready();
    return `running elsewhere after ${again}, the first changed no row when it woke`;
  });

  fault(
    'F20',
    'a worker that is stopped while it dispatches blocks the others for a lease at most',
    async () => {
      const { rows, site } = world;
      const url = site.page();
      const ids = await Promise.all(Array.from({ length: 100 }, () => world.submit({ url })));
      const worker = await stopWhileDispatching(world);
      const left = (await rows.unfinished()).length;
      expect(left).toBeGreaterThan(20);
      const since = stopwatch();
      await rows.succeeded(ids);
      const finished = since();
      expect(world.workers).toContain(worker);
      return `the ${left} captures that were left finished ${finished} after it stopped`;
    },
  );

  fault('F20', 'a worker that is stopped during recovery leaves it to another one', async () => {
    const { rows, site } = world;
    const third = await world.start('worker');
    const page = site.hold();
    const id = await world.submit({ url: page.url });
    await page.visited();
    // The lock makes the worker that recovers the row wait in the middle of its round.
    await using lock = await rows.lock(id);
    await world.kill(workerAt(world, page));
    const recovers = (worker: Member): Promise<boolean> => hasLock(world, worker, 'reconcile', 'idle');
    let recovering: Member | undefined;
    await eventually(
      'a worker waits for the lock',
      async () => {
        if (!(await lock.isWaitedFor())) return false;
        for (const worker of world.workers) if (await recovers(worker)) recovering = worker;
        return recovering !== undefined;
      },
      60_000,
    );
    recovering?.kill('SIGSTOP');
    await lock.release();
    const since = stopwatch();
    await page.visited(2);
    const again = since();
    page.release();
    await rows.moved(id, 'succeeded');
    recovering?.kill('SIGCONT');
    await world.restore();
    await third.stop();
    return `running again ${again} after the recovering worker was stopped`;
  });

  fault('F22', 'a capture that kills its workers fails, and those behind it continue', async () => {
    const poison = world.site.hold();
    const id = await world.submit({ url: poison.url });
    const since = stopwatch();
    const behind: string[] = [];
    for (const death of [1, 2]) {
      await poison.visited(death);
      await world.kill(workerAt(world, poison));
      behind.push(await world.submit({ url: world.site.page() }));
      await world.restore();
    }
    await world.rows.succeeded(behind);
    await world.rows.moved(id, 'failed');
    const over = since();
    const record = await json(world.client.get(`/v1/captures/${id}`));
    expect(record).toMatchObject({
      status: 'failed',
      attempts: 2,
      billable: false,
      error: { code: 'worker_lost', retryable: false },
    });
    expect(poison.visits).toBe(2);
    return `given up after 2 deaths and ${over}, those behind it went on`;
  });
});
