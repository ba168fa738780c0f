import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import type { Client } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { faultIn, stopwatch } from '../support/fault.js';
import { LoadBalancer, type Call } from '../support/load-balancer.js';
import { World, type Member } from '../support/world.js';

/** Answers of each process before the next one is replaced. */
const ANSWERS_EACH = 10;

// As an orchestrator replaces them for a new release: the new process is ready before the old one gets SIGTERM.
describe('a rolling restart', () => {
  let world: World;

  beforeAll(async () => {
    world = await World.open({ apis: 2, workers: 2, env: { SHUTDOWN_DELAY_MS: '1000' } });
  }, 120_000);

  afterAll(() => world.close(), 60_000);

  const fault = faultIn('PostgreSQL', () => world);

  fault(
    'F5, F7',
    'of both applications under load refuses and cuts no answer, and repeats no capture',
    async () => {
      const url = world.site.page((_, response) => {
        setTimeout(() => {
          response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Slow</title>');
        }, 300);
      });
      const ids: string[] = [];
      const capture: Call = async (client) => {
        const response = await client.capture({ url });
        const { byteLength } = await response.arrayBuffer();
        if (response.status !== 200 || byteLength === 0) throw new Error(`capture: ${response.status}`);
      };
      const submit: Call = async (client) => {
        const id = await world.submit({ url }, client);
        ids.push(id);
        await followEvents(client, id);
      };
      const isReadable: Call = async (client) => {
        const response = await client.get('/v1/usage');
        await response.arrayBuffer();
        if (!response.ok) throw new Error(`usage: ${response.status}`);
      };
      await using balancer = LoadBalancer.before(world, [capture, capture, submit, submit, isReadable]);
      const since = stopwatch();
      const replace = async (old: Member): Promise<void> => {
        const next = await world.start(old.name);
        if (old.name === 'api')
          await eventually('the new API is used', () => balancer.answeredBy(next) >= ANSWERS_EACH, 60_000);
        old.kill('SIGTERM');
        expect(await old.ended()).toBe(0);
      };
      for (const old of [...world.apis, ...world.workers]) await replace(old);
      const enough = ids.length + ANSWERS_EACH;
      await eventually('the new processes serve', () => ids.length >= enough, 60_000);
      const took = since();
      const { answered, failures } = await balancer.stop();
      expect(failures).toEqual([]);
      for (const id of ids) {
        await world.rows.moved(id, 'succeeded');
        expect(await world.rows.job(id)).toMatchObject({ attempt: 1, failures: 0, losses: 0 });
      }
      return `two APIs and two workers replaced in ${took}; ${answered} calls, ${ids.length} jobs, none refused, cut or repeated`;
    },
  );
});

/** Reads the events of a job until its stream ends, as the API ends it in order: with a whole answer. */
async function followEvents(client: Client, id: string): Promise<void> {
  const response = await client.get(`/v1/jobs/${id}/events`);
  await response.text();
  if (!response.ok) throw new Error(`events: ${response.status}`);
}
