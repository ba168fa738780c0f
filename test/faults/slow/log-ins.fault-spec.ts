import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { faultIn, stopwatch } from '../support/fault.js';
import { LogInPages } from '../support/log-in-pages.js';
import { becomesActive, createSession, jobsOf, sessionOf } from '../support/session-world.js';
import { QUEUES } from '../support/servers.js';
import { workerAt } from '../support/workers.js';
import { World } from '../support/world.js';

const MADE = { status: 'succeeded', error: null, failures: 0, charges: 1 };

// Slow, because a dead worker is only noticed when its lease expires: that of a log-in after 20 s, that of a check after 45 s.
describe.each(QUEUES)('workers that die over a session, with the queue in %s', (queue) => {
  let world: World;

  beforeAll(async () => {
    world = await World.open({ queue });
  }, 120_000);

  afterAll(() => world.close(), 60_000);

  const fault = faultIn(queue, () => world);
  const submit = (name: string, url: string, count: number): Promise<string[]> =>
    Promise.all(
      Array.from({ length: count }, () => world.submit({ url, session: name, timeout_ms: 90_000 })),
    );

  fault('F1', 'a worker that is killed during a log-in loses it to another', async () => {
    const pages = new LogInPages(world.site);
    pages.signIn.hold();
    await createSession(world, pages.requestOf('orphaned'));
    await pages.signIn.visited();
    const worker = workerAt(world, pages.signIn);
    const ids = await submit('orphaned', pages.account.url, 3);
    const captured = async () => (await jobsOf(world, 'orphaned')).filter(({ isLogIn }) => !isLogIn);
    await eventually('each capture waits', async () => (await captured()).every(({ waits }) => waits > 0));
    const since = stopwatch();
    await world.kill(worker);
    await pages.signIn.visited(2);
    const again = since();
    pages.signIn.release();
    await world.rows.succeeded(ids);
    expect(await sessionOf(world, 'orphaned')).toMatchObject({
      status: 'active',
      generation: 1,
      failures: 0,
    });
    const [logIn, ...captures] = await jobsOf(world, 'orphaned');
    expect(logIn).toMatchObject({ ...MADE, isLogIn: true, losses: 1, attempts: 2, waits: 0 });
    expect(captures).toHaveLength(3);
    // One of them may have looked at the session in the worker that died.
    for (const capture of captures) expect(capture).toMatchObject({ ...MADE, attempts: 1 + capture.losses });
    return `the log-in ran elsewhere after ${again}, was charged once, and 3 captures waited for it`;
  });

  fault('F1', 'a worker that is killed while it checks a session leaves the check to another', async () => {
    const pages = new LogInPages(world.site);
    await createSession(
      world,
      pages.requestOf('checked', { check: { url: pages.account.url, selector: '.account' } }),
    );
    await becomesActive(world, 'checked');
    await world.rows.query(
      `UPDATE sessions SET checked_at = now() - interval '1 day' WHERE name = 'checked'`,
    );
    pages.account.hold();
    const ids = await submit('checked', pages.account.url, 3);
    await pages.account.visited();
    expect(pages.account.visitors).toHaveLength(1);
    const since = stopwatch();
    await world.kill(workerAt(world, pages.account));
    pages.account.release();
    await world.rows.succeeded(ids);
    const ended = since();
    expect(await sessionOf(world, 'checked')).toMatchObject({ status: 'active', generation: 1, failures: 0 });
    expect(pages.logIns).toBe(1);
    const [logIn, ...captures] = await jobsOf(world, 'checked');
    expect(logIn).toMatchObject({ ...MADE, attempts: 1 });
    expect(captures).toHaveLength(3);
    for (const capture of captures) expect(capture).toMatchObject({ ...MADE, attempts: 1 + capture.losses });
    return `3 captures had succeeded ${ended} later, after one more check and without a log-in`;
  });
});
