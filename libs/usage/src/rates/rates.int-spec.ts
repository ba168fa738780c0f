import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { BACKENDS } from '../../../../test/support/backends.js';
import { createDatabase, type TestDatabase } from '../../../../test/support/database.js';
import { eventually } from '../../../../test/support/eventually.js';
import { FaultProxy } from '../../../../test/support/fault-proxy.js';
import { startModules, type StartedModules } from '../../../../test/support/modules.js';
import { RATE_STORE_TIMEOUT_MS, RatesModule, RatesService, type RateVerdict } from '../index.js';

/** Long enough that the store answers in time; otherwise each process would count by itself. */
const LONG_TIMEOUT_MS = 20_000;

describe.each(BACKENDS)('rates on %s', (_, settings) => {
  let client: TestDatabase;
  let redis: Redis | undefined;
  let store: string;
  const opened: StartedModules[] = [];
  const proxies: FaultProxy[] = [];

  beforeAll(async () => {
    client = await createDatabase();
    const { REDIS_URL } = await settings();
    redis = REDIS_URL === undefined ? undefined : new Redis(REDIS_URL);
    store = REDIS_URL ?? client.url;
  });

  afterAll(async () => {
    for (const each of opened) await each.close();
    for (const proxy of proxies) await proxy.close();
    redis?.disconnect();
    await client.drop();
  });

  /** Another API process, with connections of its own. */
  const open = (): Promise<RatesService> => start(store, [[RATE_STORE_TIMEOUT_MS, LONG_TIMEOUT_MS]]);

  /** A process with its buckets behind this URL, and with the timeout of the API. */
  const openBehind = (storeUrl: string): Promise<RatesService> => start(storeUrl);

  const start = async (storeUrl: string, replace: [unknown, unknown][] = []): Promise<RatesService> => {
    const settings = redis ? { REDIS_URL: storeUrl } : { DATABASE_URL: storeUrl };
    const started = await startModules({ database: client, imports: [RatesModule], settings, replace });
    opened.push(started);
    return started.app.get(RatesService);
  };

  const anAccount = (rate: number, burst: number): Promise<string> => client.addAccount({ rate, burst });

  /** Advances the clock of the store for one account. */
  const passMs = async (id: string, ms: number): Promise<void> => {
    if (redis) await redis.hincrby(`capture:rate:${id}`, 'at_ms', -ms);
    else await client.query(`UPDATE rate_buckets SET at_ms = at_ms - $2 WHERE account_id = $1`, [id, ms]);
  };

  /** Sends this many requests of an account at once, alternating between the processes. */
  const check = (count: number, id: string, ...processes: RatesService[]): Promise<RateVerdict[]> =>
    Promise.all(
      Array.from({ length: count / processes.length }).flatMap(() => processes.map((each) => each.check(id))),
    );
  const passed = (verdicts: readonly RateVerdict[]): number => verdicts.filter(({ passes }) => passes).length;

  it('lets exactly the burst pass, of 200 requests at once over two processes', async () => {
    const [first, second] = [await open(), await open()];
    for (const burst of [1, 37, 150]) {
      const id = await anAccount(1, burst);
      expect(passed(await check(200, id, first, second))).toBe(burst);
    }
  });

  it('lets exactly the refilled tokens pass, however many requests come', async () => {
    const [first, second] = [await open(), await open()];
    const id = await anAccount(6_000, 20);
    const began = performance.now();
    let passes = 0;
    for (let round = 0; round < 50; round++) passes += passed(await check(20, id, first, second));
    const refilled = ((performance.now() - began) * 6_000) / 60_000;
    // The clock of the store may be ahead of ours by 1 ms at either end.
    expect(passes).toBeLessThanOrEqual(20 + Math.ceil(refilled) + 1);
    expect(passes).toBeGreaterThan(20);
  });

  it('reports to each request what is left after it', async () => {
    const rates = await open();
    const id = await anAccount(1, 5);
    const verdicts = [await rates.check(id), await rates.check(id), ...(await check(4, id, rates))];
    expect(verdicts.map(({ remaining }) => remaining)).toEqual([4, 3, 2, 1, 0, 0]);
    expect(verdicts.map(({ passes }) => passes)).toEqual([true, true, true, true, true, false]);
  });

  it('lets a request pass after the reported wait, and not earlier', async () => {
    const rates = await open();
    const id = await anAccount(1, 2);
    await check(2, id, rates);
    const { waitMs } = await rates.check(id);
    // Real time passes between the two as well.
    await passMs(id, waitMs - 20_000);
    expect(await rates.check(id)).toMatchObject({ passes: false });
    await passMs(id, 20_000);
    expect(await rates.check(id)).toMatchObject({ passes: true });
    expect(await rates.check(id)).toMatchObject({ passes: false });
  });

  it('refills a bucket to its burst, and no further', async () => {
    const rates = await open();
    const id = await anAccount(600, 30);
    await check(30, id, rates);
    await passMs(id, 30 * 86_400_000);
    expect(await rates.check(id)).toMatchObject({ passes: true, remaining: 29 });
  });

  it('limits each account separately', async () => {
    const [first, second] = [await open(), await open()];
    const ids = await Promise.all(Array.from({ length: 20 }, () => anAccount(1, 3)));
    const all = await Promise.all(ids.flatMap((id) => [check(3, id, first), check(3, id, second)]));
    expect(passed(all.flat())).toBe(20 * 3);
  });

  it('is exact with the largest settings', async () => {
    const rates = await open();
    const id = await anAccount(1_000_000, 1_000_000);
    expect(await rates.check(id)).toMatchObject({ passes: true, remaining: 999_999 });
    await passMs(id, 400 * 86_400_000);
    expect(await rates.check(id)).toMatchObject({ passes: true, remaining: 999_999 });
  });

  it('applies a changed rate soon', async () => {
    const rates = await open();
    const id = await anAccount(1, 3);
    await check(3, id, rates);
    await client.query(`UPDATE accounts SET rate = 1000000, burst = 500 WHERE id = $1`, [id]);
    await eventually('the new rate applies', async () => (await rates.check(id)).limit.burst === 500);
    expect(await rates.check(id)).toMatchObject({ passes: true });
  });

  it.each(['refuse', 'blackhole'] as const)(
    'lets requests through while the store is down (%s), and is exact again when it is back',
    async (fault) => {
      const proxy = await FaultProxy.before(store);
      proxies.push(proxy);
      const [rates, other] = [await openBehind(proxy.proxied(store)), await open()];
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
