import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import type { Client } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { faultIn } from '../support/fault.js';
import type { HeldPage } from '../support/fault-site.js';
import { QUEUES } from '../support/servers.js';
import { World } from '../support/world.js';

const GREEDY = 10;

describe.each(QUEUES)('one greedy account, with the queue in %s', (queue) => {
  let world: World;

  beforeAll(async () => {
    world = await World.open({ queue, workers: 1, env: { WORKER_SLOTS: '2' } });
  }, 120_000);

  afterAll(() => world.close(), 60_000);

  const fault = faultIn(queue, () => world);

  fault(
    'F54',
    'its long synchronous captures let those of others start when the first of them end',
    async () => {
      const { rows, site } = world;
      const others = await Promise.all(
        ['caller', 'submitter'].map(async (name) => world.clientOf(await world.account(name))),
      );
      const [caller = world.client, submitter = world.client] = others;
      const greedy = Array.from({ length: GREEDY }, () => site.hold());
      const calls = greedy.map((page) => capture(page, world.client));
      const areVisited = (count: number) => () => visited(greedy).length === count;
      await eventually('the greedy account has both slots', areVisited(2));
      await queued('sync', GREEDY - 2);
      const [called, submitted] = [site.hold(), site.hold()];
      calls.push(capture(called, caller));
      await queued('sync', GREEDY - 1);
      const id = await world.submit({ url: submitted.url }, submitter);
      await queued('job', 1);
      const [first, second] = visited(greedy);
      first?.release();
      await called.visited();
      second?.release();
      await submitted.visited();
      expect(areVisited(2)()).toBe(true);
      for (const page of [...greedy, called, submitted]) page.release();
      expect(await Promise.all(calls)).toEqual(calls.map(() => 200));
      await rows.succeeded([id]);
      return 'a synchronous capture and a job of other accounts got the first two slots that became free';
    },
  );

  const visited = (pages: readonly HeldPage[]): HeldPage[] => pages.filter(({ visits }) => visits > 0);

  const capture = async ({ url }: HeldPage, client: Client): Promise<number> => {
    const response = await client.post('/v1/capture', { url });
    await response.arrayBuffer();
    return response.status;
  };

  /** Waits until so many captures are in the queue. */
  const queued = (source: 'sync' | 'job', count: number): Promise<void> =>
    eventually(`${count} are in the queue`, async () => {
      const jobs = await world.rows.query(
        `SELECT FROM jobs WHERE source = $1 AND status = 'queued' AND dispatched_at IS NOT NULL`,
        [source],
      );
      return jobs.length === count;
    });
});
