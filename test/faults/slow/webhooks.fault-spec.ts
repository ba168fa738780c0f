import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { faultIn, stopwatch } from '../support/fault.js';
import { holdsPort } from '../support/process-state.js';
import { World } from '../support/world.js';

// Slow, because the delivery of a dead sender is only taken over when its lease expires, after 30 s.
describe('faults of webhook senders', () => {
  let world: World;

  beforeAll(async () => {
    world = await World.open();
  }, 120_000);

  afterAll(() => world.close(), 60_000);

  faultIn('PostgreSQL', () => world)(
    'F17',
    'an event whose sender was killed is sent again unchanged',
    async () => {
      const { receiver, site } = world;
      receiver.answer = () => undefined;
      const id = await world.submit({ url: site.page() });
      await eventually('it was sent', () => receiver.about(id).length === 1);
      const sent = receiver.about(id)[0];
      const sender = world.workers.find(({ pid }) => holdsPort(pid, sent?.port ?? 0));
      if (!sender) throw new Error('Nobody sends it.');
      receiver.answer = (response) => void response.writeHead(204).end();
      const since = stopwatch();
      await world.kill(sender);
      await eventually('it was sent again', () => receiver.about(id).length === 2, 90_000);
      const again = since();
      const [first, second] = receiver.about(id);
      expect([second?.id, second?.body]).toEqual([first?.id, first?.body]);
      const delivered = async (): Promise<boolean> => {
        const rows = await world.rows.query(
          'SELECT FROM webhook_deliveries WHERE subject_id = $1 AND state = $2',
          [id, 'delivered'],
        );
        return rows.length === 1;
      };
      await eventually('it is delivered', delivered);
      return `sent again by another worker after ${again}, under the same id with the same body`;
    },
  );
});
