import { afterAll, beforeAll, describe } from '@jest/globals';
import { faultIn, stopwatch } from '../support/fault.js';
import { QUEUES } from '../support/servers.js';
import { terminateSessions } from '../support/terminated-sessions.js';
import { World } from '../support/world.js';

// Slow, because it lasts longer than a lease: captures are lost as well.
const FOR_MS = 30_000;

describe.each(QUEUES)('database sessions that are ended, with the queue in %s', (queue) => {
  let world: World;

  beforeAll(async () => {
    world = await World.open({ queue });
  }, 120_000);

  afterAll(() => world.close(), 60_000);

  faultIn(queue, () => world)(
    'F35',
    'end no process, and every capture has one end and one charge',
    async (world) => {
      const seen = await terminateSessions(world, FOR_MS);
      const since = stopwatch();
      await world.rows.ended();
      return `${seen}; all had ended ${since()} after the last round`;
    },
  );
});
