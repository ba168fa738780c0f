import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { json } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { faultIn, stopwatch } from '../support/fault.js';
import { QUEUES } from '../support/servers.js';
import { World } from '../support/world.js';

/** Longer than every lease, lock and timeout, so that all of them have expired when the server is back. */
const OUTAGE_MS = 60_000;

// Slow, because an outage must outlast all timeouts of the service.
describe.each(QUEUES)('long outages, with the queue in %s', (queue) => {
  let world: World;

  beforeAll(async () => {
    world = await World.open({ queue });
  }, 120_000);

  afterAll(() => world.close(), 60_000);

  const fault = faultIn(queue, () => world);

  const statusOf = (member: { readonly url: string }, probe: string): Promise<number> =>
    fetch(`${member.url}/${probe}`).then(({ status }) => status);

  /** Polls the probes during the outage; resolves to the statuses they returned. */
  const watch = async (probe: string): Promise<number[]> => {
    const seen = new Set<number>();
    const over = AbortSignal.timeout(OUTAGE_MS);
    await eventually(
      'the outage is over',
      async () => {
        for (const member of world.members) if (member.isRunning()) seen.add(await statusOf(member, probe));
        return over.aborted;
      },
      OUTAGE_MS * 2,
    );
    return [...seen];
  };

  fault(
    'F13',
    'no process is ready or restarted while the database is down, and all continue by themselves after',
    async () => {
      const page = world.site.hold();
      const running = await world.submit({ url: page.url });
      await page.visited();
      const waiting = await world.submit({ url: world.site.page() });
      const processes = world.members.map(({ pid }) => pid);
      await world.servers.postgres.crash();
      for (const member of world.members)
        await eventually('it is not ready', async () => (await statusOf(member, 'readyz')) === 503);
      // Its result arrives while it cannot be written, so the capture may run again.
      page.release();
      expect(await watch('livez')).toEqual([200]);
      const since = stopwatch();
      await world.servers.postgres.start();
      for (const member of world.members) await member.ready();
      const ready = since();
      await world.rows.succeeded([running, waiting]);
      const finished = since();
      expect([...world.apis, ...world.workers].map(({ pid }) => pid)).toEqual(processes);
      return `down 60 s: readiness 503, liveness 200; ready again after ${ready}, all finished after ${finished}`;
    },
    240_000,
  );

  if (queue === 'Redis')
    fault(
      'F10',
      'jobs are accepted and readable while Redis is down, and run after',
      async () => {
        const { client, site, rows, servers } = world;
        await servers.redis?.stop();
        const ids: string[] = [];
        for (let count = 0; count < 20; count += 1) ids.push(await world.submit({ url: site.page() }));
        for (const id of ids)
          expect(await json(client.get(`/v1/jobs/${id}`))).toMatchObject({ id, status: 'queued' });
        for (const api of world.apis) expect(await statusOf(api, 'readyz')).toBe(200);
        await eventually('the health check shows it', async () => {
          const health = await json(client.get('/v1/health'));
          return health.status === 'degraded';
        });
        expect(await watch('livez')).toEqual([200]);
        const since = stopwatch();
        await servers.redis?.start();
        await rows.succeeded(ids);
        return `down 60 s: 20 accepted; all finished ${since()} after the start`;
      },
      240_000,
    );
});
