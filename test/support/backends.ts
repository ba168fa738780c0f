/** URL of the run's Redis; undefined where the machine has none. Suites that need one are then skipped. */
export const testRedisUrl: string | undefined = process.env.TEST_REDIS_URL;

/** Where the queue can live on this machine, with the settings that put it there; `describe.each` runs a suite on each. */
export const BACKENDS: readonly (readonly [name: string, settings: () => Record<string, string>])[] = [
  ['PostgreSQL', () => ({})],
  ...(testRedisUrl === undefined
    ? []
    : [['Redis', () => ({ REDIS_URL: createRedis(testRedisUrl ?? '') })] as const]),
];

let next = 0;

/** A numbered database of that Redis which no other test file uses. */
export function createRedis(url: string): string {
  const worker = Number(process.env.JEST_WORKER_ID ?? '1');
  next += 1;
  return new URL(`/${(worker - 1) * 16 + next}`, url).href;
}
