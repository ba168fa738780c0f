import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { json } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { FaultProxy } from '../../support/fault-proxy.js';
import { faultIn, stopwatch } from '../support/fault.js';
import { LoadBalancer } from '../support/load-balancer.js';
import { World } from '../support/world.js';

// A job does not depend on what the API puts into the queue, so one backend is enough.
describe('faults of the API', () => {
  let world: World;

  beforeAll(async () => {
    world = await World.open({ apis: 1, workers: 1, env: { SHUTDOWN_DELAY_MS: '2000' } });
  }, 120_000);

  afterAll(() => world.close(), 60_000);

  const fault = faultIn('PostgreSQL', () => world);

  fault(
    'F7',
    'an API that receives SIGTERM refuses and cuts no client that follows its readiness',
    async () => {
      const [first] = world.apis;
      if (!first) throw new Error('No API runs.');
      const page = world.site.hold();
      const inFlight = world.client.capture({ url: page.url });
      await page.visited();
      await world.start('api');
      await using balancer = LoadBalancer.before(world);
      await eventually('both are used', () => world.apis.every((api) => balancer.answeredBy(api) >= 50));
      const since = stopwatch();
      first.kill('SIGTERM');
      await eventually('its readiness is off', () => !balancer.isReady(first));
      const off = since();
      page.release();
      expect((await inFlight).status).toBe(200);
      const code = await first.ended();
      const ended = since();
      const { answered, failures } = await balancer.stop();
      expect(failures).toEqual([]);
      expect(code).toBe(0);
      return `readiness off after ${off}, ended with 0 after ${ended}; ${answered} requests meanwhile, none refused or cut`;
    },
  );

  fault('F7', 'a second SIGTERM ends an API at once, and the capture it waited for continues', async () => {
    const [first] = world.apis;
    if (!first) throw new Error('No API runs.');
    const page = world.site.hold();
    const cut = world.client.capture({ url: page.url }).then(
      () => 'answered',
      () => 'cut',
    );
    await page.visited();
    first.kill('SIGTERM');
    await eventually('its readiness is off', async () => (await fetch(`${first.url}/readyz`)).status === 503);
    const since = stopwatch();
    first.kill('SIGTERM');
    expect(await first.ended()).toBe(143);
    const ended = since();
    expect(await cut).toBe('cut');
    page.release();
    return `second SIGTERM: ended with 143 after ${ended}, its capture went on`;
  });

  fault(
    'F8',
    'a client that never got a response gets the same job with the same Idempotency-Key',
    async () => {
      const proxy = await FaultProxy.before(world.servers.postgres.url);
      try {
        const url = proxy.proxied(world.servers.postgres.url);
        const api = await world.start('api', { DATABASE_URL: url });
        const used = await usage(world);
        const target = world.site.page();
        const submit = (client = world.client): Promise<Response> =>
          client.send('POST', '/v1/jobs', {
            headers: { 'content-type': 'application/json', 'idempotency-key': 'the-only-one' },
            body: JSON.stringify({ url: target }),
          });
        proxy.swallowAnswersAfter('COMMIT');
        const unanswered = submit(world.clientOf(world.firstKey, api)).then(
          ({ status }) => status,
          () => 'no answer',
        );
        const committed = () =>
          world.rows.query<{ id: string }>('SELECT id FROM jobs WHERE url = $1', [target]);
        await eventually('the job is stored', async () => (await committed()).length === 1);
        await world.kill(api);
        expect(await unanswered).toBe('no answer');
        const since = stopwatch();
        const again = await submit();
        expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([202, 'true']);
        const { id } = await json(again);
        expect(await committed()).toEqual([{ id }]);
        const answered = since();
        await world.rows.moved(String(id), 'succeeded');
        expect(await usage(world)).toBe(used + 1);
        return `the same id from another API after ${answered}, charged once`;
      } finally {
        await proxy.close();
      }
    },
  );
});

async function usage({ client }: World): Promise<number> {
  const { used } = await json(client.get('/v1/usage'));
  return Number(used);
}
