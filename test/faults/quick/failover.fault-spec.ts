import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { FaultProxy } from '../../support/fault-proxy.js';
import { faultIn, stopwatch } from '../support/fault.js';
import { LoadBalancer } from '../support/load-balancer.js';
import type { PostgresServer } from '../support/postgres-server.js';
import { Rows } from '../support/rows.js';
import { QUEUES } from '../support/servers.js';
import { World, type Member } from '../support/world.js';

/** How long the address of the database leads to the standby: many periods of everything that tries again. */
const AWAY_MS = 10_000;

/** Lines of one process in a second, on average. */
const MAX_LINES_PER_S = 3;

describe.each(QUEUES)('a failover to a standby and back, with the queue in %s', (queue) => {
  let world: World;
  let proxy: FaultProxy;
  let standby: PostgresServer;
  let onStandby: Rows;

  beforeAll(async () => {
    world = await World.prepare({ queue });
    const { postgres } = world.servers;
    standby = await postgres.openStandby();
    onStandby = new Rows(standby.url);
    proxy = await FaultProxy.before(postgres.url);
    const env = { DATABASE_URL: proxy.proxied(postgres.url), LOG_LEVEL: 'warn' };
    await Promise.all([world.start('api', env), world.start('worker', env)]);
    await world.untilAllListen();
  }, 120_000);

  afterAll(async () => {
    // After a failure, so that the processes can end in order.
    proxy.leadTo(world.servers.postgres.url);
    proxy.cut();
    await world.close();
    await onStandby.close();
    await standby.stop();
    await proxy.close();
  }, 60_000);

  const statusOf = ({ url }: Member): Promise<number> => fetch(`${url}/readyz`).then(({ status }) => status);

  const eachIs = (status: number, withinMs?: number) => {
    const all = async () => (await Promise.all(world.members.map(statusOf))).every((now) => now === status);
    return eventually(`every process says ${status}`, all, withinMs);
  };

  const linesOf = ({ log }: Member): number => log().split('\n').length;

  /** Sessions of the service on the standby; those of the test have no name. */
  const sessionsOnStandby = () =>
    onStandby.query(
      `SELECT application_name, state, query FROM pg_stat_activity
        WHERE backend_type = 'client backend' AND application_name <> ''`,
    );

  const nothingOnStandby = async (): Promise<void> => {
    let sessions: object[] = [];
    const isLeft = async () => (sessions = await sessionsOnStandby()).length === 0;
    await eventually('no session is left', isLeft, 30_000).catch(() => expect(sessions).toEqual([]));
  };

  faultIn(queue, () => world)(
    'F36',
    'every process leaves the standby, and none is ready before it can write',
    async ({ servers, site, rows }) => {
      const page = site.hold();
      const running = await world.submit({ url: page.url });
      await page.visited();
      proxy.leadTo(standby.url);
      proxy.cut();
      await eachIs(503);
      const lines = world.members.map(linesOf);
      const away = AbortSignal.timeout(AWAY_MS);
      const seen = new Set<number>();
      await eventually(
        'the failover is over',
        async () => {
          for (const member of world.members) seen.add(await statusOf(member));
          return away.aborted;
        },
        AWAY_MS * 2,
      );
      expect([...seen]).toEqual([503]);
      const perSecond = world.members.map(
        (member, i) => (linesOf(member) - (lines[i] ?? 0)) / (AWAY_MS / 1e3),
      );
      expect(perSecond.filter((count) => count > MAX_LINES_PER_S)).toEqual([]);
      // The connections to the standby stay open.
      proxy.leadTo(servers.postgres.url);
      const since = stopwatch();
      await eachIs(200);
      const ready = since();
      await using balancer = LoadBalancer.before(
        world,
        [...Array(8).keys()].map(() => () => world.submit({ url: site.page() })),
      );
      page.release();
      await rows.succeeded([running]);
      await nothingOnStandby();
      const left = since();
      const { answered, failures } = await balancer.stop();
      expect(failures).toEqual([]);
      await rows.ended();
      return `ready ${ready} after the way back; no session on the standby after ${left}; ${answered} jobs accepted meanwhile, none refused; at most ${Math.max(...perSecond).toFixed(1)} lines a second`;
    },
  );
});
