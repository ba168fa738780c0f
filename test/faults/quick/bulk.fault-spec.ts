import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { setTimeout as wait } from 'node:timers/promises';
import { json, type Client, type Json } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { mountTinyDisk } from '../../support/tiny-disk.js';
import { faultIn, stopwatch } from '../support/fault.js';
import { seededRandom } from '../../support/seeded-random.js';
import { World } from '../support/world.js';

const ROWS = 5_000;
const KILLS = 3;
const SEED = 6;
const TIMEOUT_MS = 300_000;

/** The batches and jobs of an account, and the used units of its allowance. */
interface Stored {
  readonly batches: number;
  readonly jobs: number;
  readonly used: number;
}

const NOTHING: Stored = { batches: 0, jobs: 0, used: 0 };
const ALL: Stored = { batches: 1, jobs: ROWS, used: ROWS };

const disk = await mountTinyDisk(1);

// Batches are accepted in PostgreSQL, so one backend of the queue is enough.
describe('faults while a batch is accepted', () => {
  let world: World;
  /** The same body for every request. */
  let body: Json;

  beforeAll(async () => {
    world = await World.open({ apis: 2, workers: 1 });
    body = { defaults: { url: world.site.page() }, items: Array.from({ length: ROWS }, () => ({})) };
  }, 120_000);

  afterAll(async () => {
    await world.close();
    await disk?.remove();
  }, 60_000);

  const fault = faultIn('PostgreSQL', () => world);

  const account = async (name: string): Promise<string> => {
    const key = await world.account(name, 1);
    await world.rows.query('UPDATE accounts SET allowance = $2 WHERE name = $1', [name, 2 * ROWS]);
    return key;
  };

  const submit = (client: Client): Promise<Response> =>
    client.post('/v1/bulk/json', body, { 'idempotency-key': 'the-only-one' });

  /** Retries while the database still rolls back the transaction of the dead API. */
  const settled = async (client: Client): Promise<Response> => {
    let answer = await submit(client);
    await eventually('the key is free', async () => {
      if (answer.status === 409) answer = await submit(client);
      return answer.status !== 409;
    });
    return answer;
  };

  /** Read in one statement, so that nothing changes between two numbers. */
  const stored = async (name: string): Promise<Stored> => {
    const [row = NOTHING] = await world.rows.query<Stored>(
      `SELECT (SELECT count(*)::int FROM batches WHERE account_id = accounts.id) AS batches,
              (SELECT count(*)::int FROM jobs WHERE account_id = accounts.id) AS jobs,
              (SELECT coalesce(sum(used), 0)::int FROM usage_counters WHERE account_id = accounts.id) AS used
         FROM accounts WHERE name = $1`,
      [name],
    );
    return row;
  };

  /** Cancels a batch whose rows would take too long. */
  const cancel = async (client: Client, batchId: unknown): Promise<void> => {
    const canceled = await client.send('DELETE', `/v1/bulk/${String(batchId)}`);
    expect([canceled.status, (await json(canceled)).status]).toEqual([200, 'canceled']);
  };

  fault(
    'kill -9 of the API',
    'a batch is stored with all its rows and its charge or not at all, and the same key creates one',
    async () => {
      const since = stopwatch();
      const random = seededRandom(SEED);
      const undisturbed = world.clientOf(await account('undisturbed'));
      const begin = performance.now();
      await cancel(undisturbed, (await json(submit(undisturbed))).id);
      const lastsMs = performance.now() - begin;
      const seen = { all: 0, nothing: 0, answered: 0 };
      for (let i = 0; i < KILLS; i++) {
        const [api, other] = world.apis;
        if (!api || !other) throw new Error('An API is gone.');
        const name = `killed-${i}`;
        const key = await account(name);
        const answer = submit(world.clientOf(key, api)).then(
          ({ status }) => status,
          () => 'cut',
        );
        // Kills at a random moment, so there is no condition to wait for.
        await wait(random() * lastsMs);
        await world.kill(api);
        if ((await answer) === 202) seen.answered++;
        const left = await stored(name);
        expect([NOTHING, ALL]).toContainEqual(left);
        seen[left.jobs > 0 ? 'all' : 'nothing']++;

        const client = world.clientOf(key, other);
        const again = await settled(client);
        const record = await json(again);
        expect([again.status, record.total]).toEqual([202, ROWS]);
        if (left.jobs > 0) expect(again.headers.get('idempotency-replayed')).toBe('true');
        expect(await stored(name)).toEqual(ALL);
        await cancel(client, record.id);
        await world.restore();
      }
      return `${KILLS} kills: ${seen.all} × all of it, of which ${seen.answered} answered, ${seen.nothing} × nothing; ${since()}`;
    },
    TIMEOUT_MS,
  );

  const whereMountable = disk ? fault : () => undefined;
  whereMountable(
    'full disk of the API',
    'a batch is refused as a whole, and accepted once there is room',
    async () => {
      const since = stopwatch();
      const key = await account('full-disk');
      const full = await world.start('api', { TMPDIR: disk?.folder ?? '' });
      const refused = await submit(world.clientOf(key, full));
      expect([refused.status, (await json(refused)).code]).toEqual([503, 'storage_unavailable']);
      expect(await stored('full-disk')).toEqual(NOTHING);
      await world.kill(full);
      const client = world.clientOf(key);
      await cancel(client, (await json(submit(client))).id);
      return `503, nothing stored; ${since()}`;
    },
  );
});
