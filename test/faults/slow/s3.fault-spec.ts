import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { S3Server } from '../../support/s3-server.js';
import { faultIn, stopwatch } from '../support/fault.js';
import { s3Store } from '../support/store.js';
import { World } from '../support/world.js';

/** A store that hangs may hold a slot for 30 s; this only catches one that hangs forever. */
const HELD_MAX_S = 40;

// Slow, because an attempt waits for the timeouts of S3.
describe('S3 that hangs', () => {
  let s3: S3Server;
  let world: World;

  beforeAll(async () => {
    s3 = await S3Server.start();
    world = await World.open({ workers: 1, env: s3.settings, store: s3Store(s3) });
  }, 120_000);

  afterAll(async () => {
    await world.close();
    await s3.close();
  }, 60_000);

  faultIn('PostgreSQL', () => world)(
    'F15',
    'holds no slot for long',
    async () => {
      const since = stopwatch();
      await s3.set('hang');
      const id = await world.submit({ url: world.site.page() });
      await world.rows.moved(id, 'queued', { times: 2, withinMs: 180_000 });
      const failed = since();
      const attempts = await world.rows.query<{ seconds: number }>(
        `SELECT extract(epoch FROM ended - at)::float AS seconds
           FROM (SELECT status, at, lead(at) OVER (ORDER BY seen) AS ended FROM seen_moves WHERE job_id = $1) moves
          WHERE status = 'running'`,
        [id],
      );
      const [held] = attempts.map(({ seconds }) => seconds);
      expect(held).toBeLessThan(HELD_MAX_S);
      await s3.set('serve');
      const served = stopwatch();
      await world.rows.succeeded([id]);
      return `hang: the slot was held for ${held?.toFixed(1)} s, the attempt given up after ${failed}; done ${served()} after S3 served`;
    },
    300_000,
  );
});
