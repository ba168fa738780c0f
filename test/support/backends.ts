import { createRedis, testRedisUrl } from './redis.js';

/** Where the queue can live on this machine, with the settings that put it there; the suites of the whole run on each. */
export const BACKENDS: readonly (readonly [name: string, settings: () => Record<string, string>])[] = [
  ['PostgreSQL', () => ({})],
  ...(testRedisUrl === undefined
    ? []
    : [['Redis', () => ({ REDIS_URL: createRedis(testRedisUrl ?? '') })] as const]),
];
