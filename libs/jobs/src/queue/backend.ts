import { runMigrations, setDefaultBackendFactory, type ConnectionOptions } from 'bullmq';
import pg from 'pg';
import type { Env } from '@app/config';
import { assertReachable, CONNECT_MS, databaseUrl, IDLE_IN_TRANSACTION_MS, SILENCE_MS } from '@app/database';
import { hostOf, portOf } from '@app/kernel';
import { createSteadyPostgresBackend } from './postgres-backend.js';

/** Of BullMQ's own tables, when the queue lives in PostgreSQL. */
const SCHEMA = 'queue';

const RECONNECT_DELAY_MS = 1_000;

/**
 * A connection to Redis on which a command has waited so long for an answer is made again: the kernel alone would retry
 * for a quarter of an hour. Workers block on Redis for 10 s at most.
 */
const REDIS_SILENCE_MS = 30_000;

/** Each Queue and Worker owns a pool of this size, and each Worker one LISTEN connection more. */
const POOL_SIZE = 3;

/**
 * Where the queue lives: in Redis when REDIS_URL is set, else in PostgreSQL. The only file that knows which.
 * Chooses BullMQ's backend for the whole process, so it runs before any Queue or Worker is made.
 */
export function queueConnection(env: Env): ConnectionOptions {
  if (env.REDIS_URL !== undefined) {
    setDefaultBackendFactory();
    return redisConnection(env.REDIS_URL);
  }
  setDefaultBackendFactory(createSteadyPostgresBackend);
  // BullMQ types every connection as Redis's; the PostgreSQL backend reads this object.
  const options = {
    connectionString: databaseUrl(env),
    schema: SCHEMA,
    max: POOL_SIZE,
    // Without it a server that accepts and then stays mute is waited for without end.
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    // BullMQ asks through the pool alone, which drops a connection whose statement ran out of time.
    query_timeout: SILENCE_MS,
  };
  return options;
}

/** Makes or updates the queue's tables; nothing to do on Redis. Run at every start: an old schema passes silently. */
export async function migrateQueue(env: Env): Promise<void> {
  if (env.REDIS_URL !== undefined) return;
  // One session, not a pool: BullMQ's advisory lock and its transaction must share it.
  const url = databaseUrl(env);
  await assertReachable(url);
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS });
  try {
    await client.connect();
    await runMigrations(client, SCHEMA);
  } finally {
    await client.end();
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
    // Workers block on Redis for as long as it takes; BullMQ asks for this.
    maxRetriesPerRequest: null,
    socketTimeout: REDIS_SILENCE_MS,
    // BullMQ's own pauses grow to 20 s: work would stand still for that long after Redis is back.
    retryStrategy: () => RECONNECT_DELAY_MS,
  };
}
