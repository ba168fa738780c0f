import { Redis } from 'ioredis';

/** URL of the run's Redis; undefined where the machine has none. Suites that need one are then skipped. */
export const testRedisUrl: string | undefined = process.env.TEST_REDIS_URL;

/** Where the queue can live on this machine, with the settings that put it there; `describe.each` runs a suite on each. */
export const BACKENDS: readonly (readonly [name: string, settings: () => Promise<Record<string, string>>])[] =
  [
    ['PostgreSQL', () => Promise.resolve({})],
    ...(testRedisUrl === undefined
      ? []
      : [['Redis', async () => ({ REDIS_URL: await createRedis(testRedisUrl ?? '') })] as const]),
  ];

/** The numbered databases of a process of Jest; no spec needs as many at once. */
const DATABASES = 16;
let next = 0;

/** An empty, numbered database of that Redis which no other spec uses at the same time. */
export async function createRedis(url: string): Promise<string> {
  const worker = Number(process.env.JEST_WORKER_ID ?? '1');
  next = (next + 1) % DATABASES;
  const created = new URL(`/${(worker - 1) * DATABASES + next}`, url).href;
  // An earlier spec of the same process may have left jobs behind.
  const redis = new Redis(created);
  await redis.flushdb();
  redis.disconnect();
  return created;
}
