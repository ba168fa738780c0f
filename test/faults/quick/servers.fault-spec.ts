import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { json } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { faultIn, stopwatch } from '../support/fault.js';
import { backgroundQueue, EVERY_QUEUE } from '../support/servers.js';
import { World } from '../support/world.js';

describe.each(EVERY_QUEUE)('faults of the servers, with the queue in %s', (queue) => {
  let world: World;

  beforeAll(async () => {
    world = await World.open({ queue });
  }, 120_000);

  afterAll(() => world.close(), 60_000);

  const fault = faultIn(queue, () => world);

  /** Starts two jobs that wait for their page, and queues others behind them. */
  const load = async (behind: number) => {
    const pages = [world.site.hold(), world.site.hold()];
    const running = await Promise.all(pages.map(({ url }) => world.submit({ url })));
    await Promise.all(pages.map((page) => page.visited()));
    const waiting: string[] = [];
    for (let count = 0; count < behind; count += 1)
      waiting.push(await world.submit({ url: world.site.page() }));
    const release = (): void => pages.forEach((page) => page.release());
    return { running, ids: [...running, ...waiting], release };
  };

  const finished = (ids: readonly string[]): Promise<unknown> => world.rows.succeeded(ids);

  const expectFirstAttempts = async (ids: readonly string[]): Promise<void> => {
    for (const id of ids) expect(await world.rows.job(id)).toMatchObject({ attempt: 1 });
  };

  const empty = async (): Promise<void> => {
    const { redis } = world.servers;
    if (redis) await redis.forgetEverything();
    else await world.rows.query('TRUNCATE queue.job CASCADE');
  };

  // F12 covers a restart of PostgreSQL.
  if (queue === 'Redis')
    fault('F9', 'a restart of Redis loses nothing, and workers continue by themselves', async () => {
      const { redis } = world.servers;
      const { ids, running, release } = await load(10);
      await redis?.stop();
      await redis?.start();
      const since = stopwatch();
      release();
      await finished(ids);
      const all = since();
      await expectFirstAttempts(running);
      await redis?.cutClients();
      const cut = stopwatch();
      await finished([await world.submit({ url: world.site.page() })]);
      return `12 captures finished ${all} after the restart; after all its clients were cut, another one in ${cut()}`;
    });

  fault('F11', 'a queue that is emptied loses nothing', async () => {
    const { ids, running, release } = await load(50);
    await empty();
    const since = stopwatch();
    release();
    await finished(ids);
    const all = since();
    await expectFirstAttempts(running);
    return `52 captures finished once each, ${all} after it was emptied`;
  });

  fault('F12', 'captures that run while the database crashes finish once it is back', async () => {
    const { site, rows, client, servers } = world;
    const pages = [site.hold(), site.hold()];
    const running = await Promise.all(pages.map(({ url }) => world.submit({ url })));
    await Promise.all(pages.map((page) => page.visited()));
    const waiting = await Promise.all(pages.map(() => world.submit({ url: site.page() })));
    await servers.postgres.crash();
    const refused = await client.get('/v1/usage');
    expect([refused.status, refused.headers.get('content-type')]).toEqual([
      503,
      expect.stringContaining('application/problem+json'),
    ]);
    expect(refused.headers.get('retry-after')).not.toBeNull();
    expect(await json(refused)).toMatchObject({ code: 'unavailable', retryable: true });
    const stored = (await world.store.keys()).length;
    // The results arrive while they cannot be written.
    for (const page of pages) page.release();
    await eventually('files are stored', async () => (await world.store.keys()).length >= stored + 2);
    const since = stopwatch();
    await servers.postgres.start();
    await rows.succeeded([...running, ...waiting]);
    const finished = since();
    for (const id of running) expect(await rows.job(id)).toMatchObject({ attempt: 1 });
    return `API said 503; ${finished} after the start all were finished, those that ran in their first attempt`;
  });

  fault('F27', 'while the database is read-only no finished capture is thrown away', async () => {
    const { site, rows, client, apis } = world;
    const page = site.hold();
    const running = await world.submit({ url: page.url });
    await page.visited();
    await rows.refuseWrites(true);
    try {
      const refused = await client.post('/v1/jobs', { url: site.page() });
      expect([refused.status, (await json(refused)).code]).toEqual([503, 'unavailable']);
      for (const { url } of apis) expect((await fetch(`${url}/readyz`)).status).toBe(503);
      const stored = (await world.store.keys()).length;
      page.release();
      await eventually('its file is stored', async () => (await world.store.keys()).length > stored);
    } finally {
      await rows.refuseWrites(false);
    }
    const since = stopwatch();
    await rows.succeeded([running]);
    const finished = since();
    expect(await rows.job(running)).toMatchObject({ attempt: 1, losses: 0 });
    return `API said 503; finished ${finished} after writes were possible, in its first attempt`;
  });

  if (queue === 'Redis')
    fault('F28', 'a Redis without memory left shows in health and readiness', async () => {
      const { servers, workers, client } = world;
      const [worker] = workers;
      const healthOf = async (): Promise<string> => {
        const health = await json(client.get('/v1/health'));
        return `${String(health.status)}, ${String(Object(Object(health.checks).queue).status)}`;
      };
      await servers.redis?.limitMemory(1);
      await eventually('the health check shows it', async () => (await healthOf()) === 'degraded, down');
      expect((await fetch(`${worker?.url}/readyz`)).status).toBe(503);
      await servers.redis?.limitMemory(undefined);
      const since = stopwatch();
      await eventually('the health check shows it', async () => (await healthOf()) === 'ok, ok');
      return `degraded while it was full, ok again after ${since()}`;
    });

  fault('F21', 'a job that the queue hands out twice runs once', async () => {
    const { site, rows, servers } = world;
    const page = site.hold();
    const id = await world.submit({ url: page.url });
    await page.visited();
    const hints = backgroundQueue(servers);
    try {
      const twins = ['twin-1', 'twin-2', 'twin-3'];
      for (const jobId of twins) {
        await hints.add('capture', { jobId: id }, { jobId, removeOnComplete: true, removeOnFail: true });
      }
      const left = async (): Promise<number> =>
        (await Promise.all(twins.map((twin) => hints.getJob(twin)))).filter(Boolean).length;
      await eventually('the twins were taken while it runs', async () => (await left()) === 0);
      page.release();
      await rows.moved(id, 'succeeded');
    } finally {
      await hints.close();
    }
    expect((await rows.moves(id)).map(({ status }) => status)).toEqual(['queued', 'running', 'succeeded']);
    expect(page.visits).toBe(1);
    return 'three twins of a running capture changed nothing';
  });
});
