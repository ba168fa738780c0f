import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { faultIn, stopwatch } from '../support/fault.js';
import { QUEUES } from '../support/servers.js';
import { World } from '../support/world.js';

describe.each(QUEUES)('a first start of everything at once, with the queue in %s', (queue) => {
  let world: World;

  beforeAll(async () => {
    world = await World.prepare({ queue, migrated: false });
  }, 120_000);

  afterAll(() => world.close(), 60_000);

  faultIn(queue, () => world)('F26', 'creates the schema once, and dispatches each job once', async () => {
    await Promise.all([world.script('scripts/migrate.mjs'), world.script('scripts/migrate.mjs')]);
    await world.migrate();
    const since = stopwatch();
    await Promise.all((['api', 'api', 'worker', 'worker'] as const).map((name) => world.start(name)));
    const ready = since();
    const ids = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        world.submit({ url: world.site.page() }, world.clientOf(world.firstKey, world.apis[index % 2])),
      ),
    );
    await world.rows.succeeded(ids);
    for (const id of ids) {
      const moves = (await world.rows.moves(id)).map(({ status }) => status);
      expect(moves).toEqual(['queued', 'running', 'succeeded']);
    }
    return `2 APIs and 2 workers ready after ${ready}; 30 jobs ran once each`;
  });
});
