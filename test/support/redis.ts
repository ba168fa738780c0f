/** URL of the run's Redis; undefined where the machine has none. A suite that needs one is then skipped. */
export const testRedisUrl: string | undefined = process.env.TEST_REDIS_URL;

let next = 0;

/** A numbered database of that Redis which no other test file uses. */
export function createRedis(url: string): string {
  const worker = Number(process.env.JEST_WORKER_ID ?? '1');
  next += 1;
  return new URL(`/${(worker - 1) * 16 + next}`, url).href;
}
