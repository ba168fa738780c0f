// Run by redis-url.mjs in a process of its own: asks the Redis of REDIS_URL once, and prints why it cannot be used.
import { Redis } from 'ioredis';
import { EXPLAINED } from './output.mjs';

const CONNECT_WITHIN_MS = 5_000;

const redis = new Redis(process.env.REDIS_URL, {
  lazyConnect: true,
  connectTimeout: CONNECT_WITHIN_MS,
  retryStrategy: () => null,
  maxRetriesPerRequest: 0,
});
// A connection that fails rejects with "Connection is closed."; the event has the reason.
let cause;
redis.on('error', (error) => (cause = error));
try {
  await redis.connect();
  await redis.ping();
} catch (error) {
  const { message, code } = cause ?? error;
  process.stderr.write(`The Redis of REDIS_URL cannot be used: ${message || code}`);
  process.exitCode = EXPLAINED;
} finally {
  redis.disconnect();
}
