import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { json, type Client, type Json } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { faultIn, stopwatch } from '../support/fault.js';
import type { HeldPage } from '../support/fault-site.js';
import { QUEUES } from '../support/servers.js';
import { workerAt } from '../support/workers.js';
import { World } from '../support/world.js';

const CALLERS = 10;
const JOBS = 5;
const ROWS = 5;

// Slow, because a dead worker is only noticed when its lease expires, after 20 s.
describe.each(QUEUES)('faults of a visit that others wait for, with the queue in %s', (queue) => {
  let world: World;

  beforeAll(async () => {
    world = await World.open({ queue, apis: 2 });
  }, 120_000);

  afterAll(() => world.close(), 60_000);

  const fault = faultIn(queue, () => world);

  const used = async (client: Client): Promise<number> => Number((await json(client.get('/v1/usage'))).used);

  /** Jobs and rows of a batch that follow the visit which is under way; returns a function that waits for their end. */
  const follow = async (page: HeldPage, client: Client): Promise<() => Promise<void>> => {
    const options = { url: page.url, cache_ttl_s: 600 };
    const ids = await Promise.all(Array.from({ length: JOBS }, () => world.submit(options, client)));
    const items = Array.from({ length: ROWS }, () => options);
    const batch = await json(client.post('/v1/bulk/json', { items, webhook_url: world.receiver.url }));
    await eventually('jobs and rows follow', async () => {
      const following = await world.rows.query(`SELECT FROM jobs WHERE follows_id IS NOT NULL`);
      return following.length === JOBS + ROWS;
    });
    return async () => {
      await world.rows.succeeded(ids);
      const isOver = () => world.receiver.about(String(batch.id)).length > 0;
      await eventually('the end of the batch is announced', isOver, 90_000);
      expect(await json(client.get(`/v1/bulk/${String(batch.id)}`))).toMatchObject({
        status: 'completed',
        counts: { succeeded: ROWS, failed: 0, canceled: 0 },
      });
      for (const id of ids) {
        expect(await json(client.get(`/v1/jobs/${id}`))).toMatchObject({
          billable: false,
          cache: { status: 'coalesced' },
        });
      }
    };
  };

  /** The ids of the captures that answered; rejects for any other answer than a file. */
  const capturesOf = async (answers: readonly Promise<Response>[]): Promise<Set<string | null>> => {
    const responses = await Promise.all(answers);
    const ids = responses.map(async (response) => {
      if (response.status !== 200) throw new Error(await response.text());
      await response.arrayBuffer();
      return response.headers.get('x-capture-id');
    });
    return new Set(await Promise.all(ids));
  };

  fault('F1', 'the worker of a visit is killed, and all who wait for it get the next one', async () => {
    const clients = world.apis.map((api) => world.clientOf(world.firstKey, api));
    const before = await used(world.client);
    const page = world.site.hold();
    const options: Json = { url: page.url, cache_ttl_s: 600 };
    const answers = clients.flatMap((client) =>
      Array.from({ length: CALLERS }, () => client.capture(options)),
    );
    await page.visited();
    const ended = await follow(page, world.client);
    const since = stopwatch();
    await world.kill(workerAt(world, page));
    await page.visited(2);
    const again = since();
    page.release();
    expect((await capturesOf(answers)).size).toBe(1);
    await ended();
    expect([page.visits, (await used(world.client)) - before]).toEqual([2, 1]);
    return `visited again after ${again}; ${answers.length} callers, ${JOBS} jobs and ${ROWS} rows of a batch by it, for one charge`;
  });

  fault('F8', 'the API of the caller who made a visit is killed, and the others get its file', async () => {
    const [first, second] = world.apis;
    if (!first || !second) throw new Error('Two APIs run.');
    const client = world.clientOf(world.firstKey, second);
    const before = await used(client);
    const page = world.site.hold();
    const options: Json = { url: page.url, cache_ttl_s: 600 };
    const cut = world
      .clientOf(world.firstKey, first)
      .capture(options)
      .then(
        () => 'answered',
        () => 'cut',
      );
    await page.visited();
    const ended = await follow(page, client);
    const answers = Array.from({ length: CALLERS }, () => client.capture(options));
    await world.kill(first);
    expect(await cut).toBe('cut');
    const since = stopwatch();
    page.release();
    expect((await capturesOf(answers)).size).toBe(1);
    const all = since();
    await ended();
    expect([page.visits, (await used(client)) - before]).toEqual([1, 1]);
    return `${answers.length} callers, ${JOBS} jobs and ${ROWS} rows of a batch by the same visit, callers after ${all}`;
  });
});
