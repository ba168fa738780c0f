import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { faultIn, stopwatch } from '../support/fault.js';
import { QUEUES } from '../support/servers.js';
import { World } from '../support/world.js';

const BACKLOG = 2_000;
const CALLERS = 16;

// Slow, because accepting and canceling a backlog takes time.
describe.each(QUEUES)('a backlog, with the queue in %s', (queue) => {
  let world: World;

  beforeAll(async () => {
    world = await World.open({ queue });
  }, 120_000);

  afterAll(() => world.close(), 60_000);

  const fault = faultIn(queue, () => world);

  fault('F24', `5 captures of one account overtake ${BACKLOG} of another`, async () => {
    const { rows, site } = world;
    const other = world.clientOf(await world.account('other'));
    const backlog: string[] = [];
    const url = site.page();
    const callers = Array.from({ length: CALLERS }, async () => {
      for (let count = 0; count < BACKLOG / CALLERS; count += 1)
        backlog.push(await world.submit({ url, webhook_url: undefined }));
    });
    await Promise.all(callers);
    const since = stopwatch();
    const few = await Promise.all(Array.from({ length: 5 }, () => world.submit({ url: site.page() }, other)));
    await rows.succeeded(few);
    const passed = since();
    const [meanwhile] = await rows.query<{ ended: number }>(
      `SELECT count(*)::int AS ended FROM jobs
        WHERE id <> ALL($1) AND finished_at BETWEEN (SELECT min(created_at) FROM jobs WHERE id = ANY($1))
                                                AND (SELECT max(finished_at) FROM jobs WHERE id = ANY($1))`,
      [few],
    );
    const waiting = await rows.unfinished();
    // Alone they would take the time of 5 captures; in 5 times that, 20 of the other account fit.
    expect(meanwhile?.ended).toBeLessThanOrEqual(20);
    expect(waiting.length).toBeGreaterThan(BACKLOG / 2);
    await cancel([...waiting]);
    return `done after ${passed}, while ${meanwhile?.ended} of the other account's ended and ${waiting.length} still waited`;
  });

  const cancel = async (ids: string[]): Promise<void> => {
    const callers = Array.from({ length: CALLERS }, async () => {
      for (let id = ids.pop(); id !== undefined; id = ids.pop()) {
        const { status } = await world.client.send('DELETE', `/v1/jobs/${id}`);
        expect([200, 409]).toContain(status);
      }
    });
    await Promise.all(callers);
  };
});
