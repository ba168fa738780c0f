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

let next = 0;

/** An empty, numbered database of that Redis which no other test file uses at the same time. */
export async function createRedis(url: string): Promise<string> {
  const worker = Number(process.env.JEST_WORKER_ID ?? '1');
  next += 1;
  const created = new URL(`/${(worker - 1) * 16 + next}`, url).href;
  // An earlier test file of the same process may have left jobs behind.
  const redis = new Redis(created);
  await redis.flushdb();
  redis.disconnect();
  return created;
}
