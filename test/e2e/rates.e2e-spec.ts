import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import type { AppProcess } from '../support/app-process.js';
import { prepareApps, type PreparedApps } from '../support/apps.js';
import { BACKENDS } from '../support/backends.js';
import { Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';

const BURST = 120;
/** A process writes its log after its answers. */
const LOG_WITHIN_MS = 1_000;

describe.each(BACKENDS)('the rate of an account over two API processes, on %s', (_, settings) => {
  let apps: PreparedApps;
  let processes: readonly AppProcess[];
  let clients: readonly Client[];
  let redis: Redis | undefined;

  beforeAll(async () => {
    apps = await prepareApps(await settings());
    processes = await Promise.all([apps.launch('api'), apps.launch('api')]);
    await Promise.all(processes.map((api) => api.ready()));
    await apps.database.query(`UPDATE accounts SET rate = 1, burst = $1`, [BURST]);
    if (apps.env.REDIS_URL !== undefined) redis = new Redis(apps.env.REDIS_URL);
    clients = processes.map(({ url }) => new Client({ url, key: apps.key }));
  }, 120_000);

  afterAll(async () => {
    redis?.disconnect();
    await Promise.all(processes.map((api) => api.stop()));
    await apps.stop();
  });

  /** How often a process logged that it counts by itself, as it does while the store is slow. */
  const fallbacks = (): number =>
    processes.reduce((sum, { log }) => sum + log().split('counts by itself').length - 1, 0);

  /** Whether both processes answer from one full bucket. */
  const countTogether = async (): Promise<boolean> => {
    await forget();
    const left: (string | null)[] = [];
    for (const client of clients) left.push((await client.get('/v1/usage')).headers.get('ratelimit'));
    return left.every((each, at) => each?.includes(`;r=${BURST - 1 - at};`) === true);
  };

  /** Sends 200 requests at once and then one to each process; null when a process fell back to counting by itself. */
  const round = async (): Promise<Response[] | null> => {
    await eventually('both count in the store', countTogether);
    const before = fallbacks();
    const answers = await Promise.all(
      Array.from({ length: 100 }).flatMap(() => clients.map((client) => client.get('/v1/usage'))),
    );
    for (const client of clients) answers.push(await client.get('/v1/usage'));
    await setTimeout(LOG_WITHIN_MS);
    return fallbacks() === before ? answers : null;
  };

  const forget = async (): Promise<void> => {
    await apps.database.query('DELETE FROM rate_buckets');
    const { rows } = await apps.database.query<{ id: string }>('SELECT id FROM accounts');
    for (const { id } of rows) await redis?.del(`capture:rate:${id}`);
  };

  it('admits exactly the burst out of 200 requests at once, over both processes together', async () => {
    let answers = await round();
    // A round in which the store was slow proves nothing.
    while (!answers) answers = await round();
    const passed = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status === 429);
    expect([passed.length, refused.length]).toEqual([BURST - 2, 84]);
    expect(answers.slice(-2).map(({ status }) => status)).toEqual([429, 429]);
    const left = passed.map(({ headers }) => Number(/;r=(\d+);/.exec(headers.get('ratelimit') ?? '')?.[1]));
    expect(left.sort((a, b) => a - b)).toEqual(Array.from({ length: BURST - 2 }, (_, i) => i));
    for (const { headers } of refused) {
      expect(headers.get('ratelimit')).toMatch(/^"default";r=0;t=\d+$/);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
  });
});
