import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { json, type Client, type Json } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { faultIn, stopwatch } from '../support/fault.js';
import { seededRandom } from '../../support/seeded-random.js';
import { World } from '../support/world.js';

const CALLERS = 20;
const ACTIONS = 200;
const SEED = 5;

/** Sends a request; resolves to the status, or to `cut` when the API died or the caller hung up. */
type Action = (client: Client) => Promise<number | 'cut'>;

interface Usage {
  readonly used: number;
  readonly concurrency: { readonly remaining: number };
}

// Accounts are kept in PostgreSQL, so one backend of the queue is enough.
describe('accounts', () => {
  let world: World;

  beforeAll(async () => {
    world = await World.open({ apis: 2, workers: 2 });
  }, 120_000);

  afterAll(() => world.close(), 60_000);

  const fault = faultIn('PostgreSQL', () => world);

  /** Creates an account; returns a function for its clients at the running APIs. */
  const clients = async (name: string, limits: { allowance: number; concurrency: number }) => {
    const key = await world.account(name, limits.concurrency);
    await world.rows.query('UPDATE accounts SET allowance = $2, rate = 60000, burst = 1000 WHERE name = $1', [
      name,
      limits.allowance,
    ]);
    return () => world.apis.map((api) => world.clientOf(key, api));
  };

  const capture = async (client: Client, options: Json, signal?: AbortSignal): Promise<number | 'cut'> => {
    try {
      const response = await client.capture(options, signal && { signal });
      const id = response.headers.get('x-capture-id');
      if (response.ok && id !== null) world.accepted.add(id);
      await response.arrayBuffer();
      return response.status;
    } catch {
      return 'cut';
    }
  };

  const submit = async (client: Client, options: Json, cancel = false): Promise<number | 'cut'> => {
    try {
      const response = await client.submit(options);
      const { id } = await json(response);
      if (response.status !== 202) return response.status;
      world.accepted.add(String(id));
      if (!cancel) return 202;
      const canceled = await client.send('DELETE', `/v1/jobs/${String(id)}`);
      await canceled.arrayBuffer();
      return canceled.status;
    } catch {
      return 'cut';
    }
  };

  for (const [kind, accepted, ask] of [
    ['captures', 200, capture],
    ['jobs', 202, submit],
  ] as const) {
    fault(`one unit of ${kind}`, 'one of 20 callers at two APIs gets it, and 19 get 402', async () => {
      const at = await clients(`last-${kind}`, { allowance: 1, concurrency: CALLERS });
      const url = world.site.page();
      const asked = Array.from({ length: CALLERS }, (_, i) => {
        const client = at()[i % 2];
        return client ? ask(client, { url }) : Promise.reject(new Error('An API is gone'));
      });
      const statuses = await Promise.all(asked);
      expect(statuses.sort()).toEqual([accepted, ...Array<number>(CALLERS - 1).fill(402)]);
      const usages = await Promise.all(at().map((client) => json(client.get('/v1/usage'))));
      expect(usages).toEqual(
        Array<unknown>(2).fill(expect.objectContaining({ total: 1, used: 1, available: 0 })),
      );
      return 'one';
    });
  }

  fault(
    '200 at random',
    'all accounts agree after one of two APIs and one of two workers were killed',
    async () => {
      const since = stopwatch();
      const limits = { allowance: ACTIONS / 2, concurrency: 5 };
      const at = await clients('mixed', limits);
      const random = seededRandom(SEED);
      const actions = choose(random);
      const answers = new Map<number | 'cut', number>();
      let begun = 0;
      const caller = async (): Promise<void> => {
        for (let action = actions.pop(); action; action = actions.pop()) {
          begun++;
          if (begun === ACTIONS / 2) await killOneOfEach();
          const running = at();
          const client = running[Math.floor(random() * running.length)];
          const answer = client ? await action(client) : 'cut';
          answers.set(answer, (answers.get(answer) ?? 0) + 1);
        }
      };
      await Promise.all(Array.from({ length: 12 }, caller));
      let [charged, usage] = [0, {} as Usage];
      // A request whose caller hung up may still be arriving; it holds a unit and a slot until it is canceled.
      const isSettled = async (): Promise<boolean> => {
        await world.rows.ended();
        charged = await chargedTo('mixed');
        usage = await usageOf(at()[0]);
        return usage.used === charged && usage.concurrency.remaining === limits.concurrency;
      };
      // On failure the comparison below shows the difference.
      await eventually('nothing is under way', isSettled).catch(() => undefined);
      expect(usage).toEqual({
        total: limits.allowance,
        used: charged,
        available: limits.allowance - charged,
        concurrency: {
          limit: limits.concurrency,
          remaining: limits.concurrency,
          reset_unix: expect.any(Number),
        },
      });
      expect(charged).toBeGreaterThan(0);
      const counts = [...answers].map(([answer, count]) => `${count} × ${answer}`).join(', ');
      return `${counts}; ${charged} charged; ${since()}`;
    },
  );

  async function chargedTo(name: string): Promise<number> {
    const [row] = await world.rows.query<{ charged: number }>(
      `SELECT count(*)::int AS charged FROM usage_ledger JOIN accounts ON id = account_id WHERE name = $1`,
      [name],
    );
    return row?.charged ?? 0;
  }

  async function usageOf(client: Client | undefined): Promise<Usage> {
    if (!client) throw new Error('No API runs');
    return (await json(client.get('/v1/usage'))) as unknown as Usage;
  }

  async function killOneOfEach(): Promise<void> {
    for (const member of [world.apis[1], world.workers[1]]) if (member) await world.kill(member);
    await world.restore();
  }

  function choose(random: () => number): Action[] {
    const good = { url: world.site.page() };
    const missing = world.site.page((_, response) => void response.writeHead(404).end('none'));
    const bad = { url: missing, fail_on_status: ['404'] };
    const kinds: (() => Action)[] = [
      () => (client) => capture(client, good),
      () => (client) => capture(client, bad),
      () => {
        const patienceMs = Math.ceil(random() * 200);
        return (client) => capture(client, good, AbortSignal.timeout(patienceMs));
      },
      () => (client) => submit(client, good),
      () => (client) => submit(client, bad),
      () => (client) => submit(client, good, true),
    ];
    return Array.from({ length: ACTIONS }, () => {
      const kind = kinds[Math.floor(random() * kinds.length)];
      if (!kind) throw new Error('no such kind');
      return kind();
    });
  }
});
