import { runMigrations, setDefaultBackendFactory, type ConnectionOptions } from 'bullmq';
import type { Env } from '@app/config';
import { connectMsOf, databaseUrl, IDLE_IN_TRANSACTION_MS, openSession, SILENCE_MS } from '@app/database';
import { hostOf, portOf } from '@app/kernel';
import { createSteadyPostgresBackend } from './postgres-backend.js';

/** The schema of BullMQ's own tables when the queue is in PostgreSQL. */
const SCHEMA = 'queue';

const RECONNECT_DELAY_MS = 1_000;

/**
 * The connection to Redis is closed and opened again when a command gets no answer for this long; the kernel alone would
 * keep trying for a quarter of an hour. Commands of workers block for at most 10 s.
 */
const REDIS_SILENCE_MS = 30_000;

/** Each Queue and Worker has a pool of this size, and each Worker one LISTEN connection in addition. */
const POOL_SIZE = 3;

/**
 * The connection of the queue: to Redis when REDIS_URL is set, else to PostgreSQL. No other file knows which. It also sets
 * BullMQ's backend for the whole process, so it is called before any Queue or Worker is created.
 */
export function queueConnection(env: Env): ConnectionOptions {
  if (env.REDIS_URL !== undefined) {
    setDefaultBackendFactory();
    return redisConnection(env.REDIS_URL);
  }
  setDefaultBackendFactory(createSteadyPostgresBackend);
  // BullMQ types every connection as Redis's; the PostgreSQL backend reads this object.
  const url = databaseUrl(env);
  const options = {
    connectionString: url,
    schema: SCHEMA,
    max: POOL_SIZE,
    // The driver itself would wait forever for a server that accepts the connection and then stays silent.
    connectionTimeoutMillis: connectMsOf(url),
    keepAlive: true,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    // An entry is a hint, which the reconciler adds again: no caller waits until it is on the disk. What a job is worth stands in
    // its row, which is.
    options: '-c synchronous_commit=off',
    // BullMQ sends statements only through the pool, which drops a connection whose statement timed out.
    query_timeout: SILENCE_MS,
  };
  return options;
}

/** Creates or updates the queue's tables; does nothing on Redis. Runs at every start, because BullMQ accepts an old schema silently. */
export async function migrateQueue(env: Env): Promise<void> {
  if (env.REDIS_URL !== undefined) return;
  // One session, not a pool: BullMQ's advisory lock and its transaction must share it.
  const session = await openSession(databaseUrl(env));
  try {
    await runMigrations(session, SCHEMA);
  } finally {
    await session.end();
  }
}

function redisConnection(text: string): ConnectionOptions {
  const url = new URL(text);
  return {
    host: hostOf(url),
    port: portOf(url),
    db: Number(url.pathname.slice(1) || 0),
    username: decodeURIComponent(url.username) || undefined,
    password: decodeURIComponent(url.password) || undefined,
    tls: url.protocol === 'rediss:' ? {} : undefined,
    // Required by BullMQ, whose workers use blocking commands.
    maxRetriesPerRequest: null,
    socketTimeout: REDIS_SILENCE_MS,
    // BullMQ's own delays grow to 20 s, and no work would be done for that long after Redis is back.
    retryStrategy: () => RECONNECT_DELAY_MS,
  };
}
