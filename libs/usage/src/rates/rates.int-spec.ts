import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { BACKENDS } from '../../../../test/support/backends.js';
import { createDatabase, type TestDatabase } from '../../../../test/support/database.js';
import { eventually } from '../../../../test/support/eventually.js';
import { FaultProxy } from '../../../../test/support/fault-proxy.js';
import { startModules, type StartedModules } from '../../../../test/support/modules.js';
import { RATE_STORE_TIMEOUT_MS, RatesModule, RatesService, type RateVerdict } from '../index.js';

/** For a store that is to be counted by: while it does not answer, each process counts by itself. */
const PATIENCE_MS = 20_000;

describe.each(BACKENDS)('rates on %s', (_, settings) => {
  let client: TestDatabase;
  let redis: Redis | undefined;
  let store: string;
  const opened: StartedModules[] = [];
  const proxies: FaultProxy[] = [];

  beforeAll(async () => {
    client = await createDatabase();
    const { REDIS_URL } = settings();
    redis = REDIS_URL === undefined ? undefined : new Redis(REDIS_URL);
    store = REDIS_URL ?? client.url;
  });

  afterAll(async () => {
    for (const each of opened) await each.close();
    for (const proxy of proxies) await proxy.close();
    redis?.disconnect();
    await client.drop();
  });

  /** As another API process would see it: connections of its own. */
  const open = (): Promise<RatesService> => start(store, [[RATE_STORE_TIMEOUT_MS, PATIENCE_MS]]);

  /** The same with its buckets behind this address, for whose answers it waits as long as the API does. */
  const openBehind = (storeUrl: string): Promise<RatesService> => start(storeUrl);

  const start = async (storeUrl: string, replace: [unknown, unknown][] = []): Promise<RatesService> => {
    const settings = redis ? { REDIS_URL: storeUrl } : { DATABASE_URL: storeUrl };
    const started = await startModules({ database: client, imports: [RatesModule], settings, replace });
    opened.push(started);
    return started.app.get(RatesService);
  };

  const anAccount = (rate: number, burst: number): Promise<string> => client.addAccount({ rate, burst });

  /** Lets the store's clock go on for one account. */
  const passMs = async (id: string, ms: number): Promise<void> => {
    if (redis) await redis.hincrby(`capture:rate:${id}`, 'at_ms', -ms);
    else await client.query(`UPDATE rate_buckets SET at_ms = at_ms - $2 WHERE account_id = $1`, [id, ms]);
  };

  /** So many requests of the account at once, in turns over the processes. */
  const check = (count: number, id: string, ...processes: RatesService[]): Promise<RateVerdict[]> =>
    Promise.all(
      Array.from({ length: count / processes.length }).flatMap(() => processes.map((each) => each.check(id))),
    );
  const passed = (verdicts: readonly RateVerdict[]): number => verdicts.filter(({ passes }) => passes).length;

  it('let the burst through and not one more, of 200 requests at once over two processes', async () => {
    const [first, second] = [await open(), await open()];
    for (const burst of [1, 37, 150]) {
      const id = await anAccount(1, burst);
      expect(passed(await check(200, id, first, second))).toBe(burst);
    }
  });

  it('let through what is refilled and not one more, however many ask for it', async () => {
    const [first, second] = [await open(), await open()];
    const id = await anAccount(6_000, 20);
    const began = performance.now();
    let passes = 0;
    for (let round = 0; round < 50; round++) passes += passed(await check(20, id, first, second));
    const refilled = ((performance.now() - began) * 6_000) / 60_000;
    // The store's clock may be 1 ms further than ours at either end.
    expect(passes).toBeLessThanOrEqual(20 + Math.ceil(refilled) + 1);
    expect(passes).toBeGreaterThan(20);
  });

  it('tell each request what is left after it', async () => {
    const rates = await open();
    const id = await anAccount(1, 5);
    const verdicts = [await rates.check(id), await rates.check(id), ...(await check(4, id, rates))];
    expect(verdicts.map(({ remaining }) => remaining)).toEqual([4, 3, 2, 1, 0, 0]);
    expect(verdicts.map(({ passes }) => passes)).toEqual([true, true, true, true, true, false]);
  });

  it('let whoever waited as long as it was told pass, and nobody earlier', async () => {
    const rates = await open();
    const id = await anAccount(1, 2);
    await check(2, id, rates);
    const { waitMs } = await rates.check(id);
    // Time goes on between the two by itself, too.
    await passMs(id, waitMs - 20_000);
    expect(await rates.check(id)).toMatchObject({ passes: false });
    await passMs(id, 20_000);
    expect(await rates.check(id)).toMatchObject({ passes: true });
    expect(await rates.check(id)).toMatchObject({ passes: false });
  });

  it('are full again after a long time, and no fuller', async () => {
    const rates = await open();
    const id = await anAccount(600, 30);
    await check(30, id, rates);
    await passMs(id, 30 * 86_400_000);
    expect(await rates.check(id)).toMatchObject({ passes: true, remaining: 29 });
  });

  it('hold for each account by itself', async () => {
    const [first, second] = [await open(), await open()];
    const ids = await Promise.all(Array.from({ length: 20 }, () => anAccount(1, 3)));
    const all = await Promise.all(ids.flatMap((id) => [check(3, id, first), check(3, id, second)]));
    expect(passed(all.flat())).toBe(20 * 3);
  });

  it('of the widest settings are exact too', async () => {
    const rates = await open();
    const id = await anAccount(1_000_000, 1_000_000);
    expect(await rates.check(id)).toMatchObject({ passes: true, remaining: 999_999 });
    await passMs(id, 400 * 86_400_000);
    expect(await rates.check(id)).toMatchObject({ passes: true, remaining: 999_999 });
  });

  it('that are changed hold soon', async () => {
    const rates = await open();
    const id = await anAccount(1, 3);
    await check(3, id, rates);
    await client.query(`UPDATE accounts SET rate = 1000000, burst = 500 WHERE id = $1`, [id]);
    await eventually('the new rate holds', async () => (await rates.check(id)).limit.burst === 500);
    expect(await rates.check(id)).toMatchObject({ passes: true });
  });

  it.each(['refuse', 'blackhole'] as const)(
    'let requests through while the store is away (%s), and are exact again when it is back',
    async (fault) => {
      const proxy = await FaultProxy.before(store);
      proxies.push(proxy);
      const [rates, other] = [await openBehind(proxy.through(store)), await open()];
      let id = '';
      await eventually('both count in the store', async () => {
        id = await anAccount(1, 4);
        await check(3, id, rates);
        return (await other.check(id)).remaining === 0;
      });
      await proxy.set(fault);
      // The process counts by itself, from a full bucket.
      expect(passed(await check(6, id, rates))).toBe(4);
      expect(await other.check(id)).toMatchObject({ passes: false });
      await proxy.set('pass');
      await passMs(id, 120_000);
      await eventually('the store is asked again', async () => (await rates.check(id)).passes);
      expect(passed(await check(10, id, other))).toBe(1);
    },
  );
});
