import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { json } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { faultIn, stopwatch } from '../support/fault.js';
import { World } from '../support/world.js';

// Deliveries are kept in the database, so one backend of the queue is enough.
describe('faults of webhook receivers', () => {
  let world: World;

  beforeAll(async () => {
    world = await World.open();
  }, 120_000);

  afterAll(() => world.close(), 60_000);

  const fault = faultIn('PostgreSQL', () => world);

  const webhookOf = async (id: string): Promise<Record<string, unknown>> => {
    const record = await json(world.client.get(`/v1/jobs/${id}`));
    return record.webhook as Record<string, unknown>;
  };

  /** Verifies the signature of every event with the reference implementation of the standard. */
  const expectSigned = async (): Promise<void> => {
    const printed = await world.script('dist/scripts/webhooks.js', ['secret', '--json']);
    const { secret } = JSON.parse(printed) as { secret: string };
    for (const { id, timestamp, signature, body } of world.receiver.received) {
      const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
      expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
    }
  };

  fault('F16', 'a receiver that was down gets its events once it is up, each under one id', async () => {
    const { receiver, rows, site } = world;
    await receiver.down();
    const id = await world.submit({ url: site.page() });
    await rows.moved(id, 'succeeded');
    await eventually('an attempt failed', async () => (await webhookOf(id)).attempts === 1);
    expect(await webhookOf(id)).toMatchObject({ state: 'pending', last_status: null });

    // The event of the second capture is refused once, so that its retry follows the schedule too.
    const refused = new Set<string>();
    receiver.answer = (response, event) => {
      const refuse = !receiver.about(id).includes(event) && !refused.has(event.id);
      if (refuse) refused.add(event.id);
      response.writeHead(refuse ? 503 : 204).end();
    };
    await receiver.up();
    const since = stopwatch();
    const late = await world.submit({ url: site.page() });
    const delivered = async (): Promise<boolean> => {
      const states = await Promise.all([id, late].map(async (each) => (await webhookOf(each)).state));
      return states.every((state) => state === 'delivered');
    };
    await eventually('both are delivered', delivered, 60_000);
    const took = since();
    expect(receiver.about(id).length).toBe(1);
    const [first, second, ...more] = receiver.about(late);
    expect(more).toEqual([]);
    expect(second).toMatchObject({ id: first?.id, body: first?.body });
    expect(Number(second?.timestamp)).toBeGreaterThan(Number(first?.timestamp));
    expect(second?.signature).not.toBe(first?.signature);

    await world.script('dist/scripts/webhooks.js', ['replay', String(first?.id)]);
    await eventually('it is sent once more', () => receiver.about(late).length === 3);
    await expectSigned();
    return `captures unharmed; both events delivered ${took} after it was up, by the schedule; a replay under the same id`;
  });
});
