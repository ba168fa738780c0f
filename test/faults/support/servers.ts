import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createPostgresBackend, Queue as BullQueue, setDefaultBackendFactory } from 'bullmq';
import { testRedisUrl } from '../../support/backends.js';
import { SECRETS_KEY } from '../../support/database.js';
import { scratchFolder } from '../../support/scratch.mjs';
import { FaultSite } from './fault-site.js';
import { PostgresServer } from './postgres-server.js';
import { RedisServer } from './redis-server.js';
import { WebhookReceiver } from './webhook-receiver.js';

export type Queue = 'PostgreSQL' | 'Redis';
/** Variables of libs/config. */
export type Variables = Readonly<Record<string, string>>;

/** Where the queue can live on this machine. */
export const EVERY_QUEUE: readonly Queue[] =
  testRedisUrl === undefined ? ['PostgreSQL'] : ['PostgreSQL', 'Redis'];

/**
 * The queues on which faults of other parts are run: that of an installation without a Redis, and with `--queues=both`, which
 * the nightly run uses, Redis, too.
 */
export const QUEUES = EVERY_QUEUE.slice(0, process.env.TEST_QUEUES === 'both' ? 2 : 1);

/** The servers around the service, one set for each world. */
export interface Servers {
  readonly folder: string;
  readonly site: FaultSite;
  readonly receiver: WebhookReceiver;
  readonly postgres: PostgresServer;
  readonly redis: RedisServer | undefined;
}

/** Starts the servers; `opened` stops them. */
export async function openServers(queue: Queue, opened: AsyncDisposableStack): Promise<Servers> {
  const folder = await mkdtemp(path.join(scratchFolder(), path.basename(temporaryPrefix('world'))));
  opened.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const postgres = await PostgresServer.open(folder);
  opened.defer(() => postgres.stop());
  const redis = queue === 'Redis' ? await RedisServer.open(folder) : undefined;
  opened.defer(() => redis?.stop());
  const site = await FaultSite.open();
  opened.defer(() => site.close());
  const receiver = await WebhookReceiver.open();
  opened.defer(() => receiver.down());
  return { folder, site, receiver, postgres, redis };
}

/** The variables with which the processes of the service use these servers. */
export function settingsFor({ folder, site, receiver, postgres, redis }: Servers): Variables {
  return {
    DATABASE_URL: postgres.url,
    ...(redis && { REDIS_URL: redis.url }),
    DATA_DIR: path.join(folder, 'data'),
    SECRETS_KEY,
    EGRESS_ALLOW: `127.0.0.1:${site.port},${receiver.address}`,
    WEBHOOK_HTTP: 'true',
    METRICS_PORT: '0',
    WORKER_METRICS_PORT: '0',
    SHUTDOWN_DELAY_MS: '0',
    WORKER_SLOTS: '2',
    LOG_LEVEL: 'info',
  };
}

/** The background queue, as anyone with access to its server can write to it. */
export function backgroundQueue({ postgres, redis }: Servers): BullQueue<{ jobId: string }> {
  if (redis) {
    setDefaultBackendFactory();
    const { hostname: host, port } = new URL(redis.url);
    return new BullQueue('background', { connection: { host, port: Number(port) } });
  }
  setDefaultBackendFactory(createPostgresBackend);
  // BullMQ types every connection as one to Redis; the PostgreSQL backend reads this object.
  const connection = { connectionString: postgres.url, schema: 'queue', max: 1 };
  return new BullQueue('background', { connection });
}

/** Prefix for a temporary folder; by the process id in it the next run recognises the folders of a run that was killed. */
export function temporaryPrefix(purpose: string): string {
  return path.join(os.tmpdir(), `capture-test-${process.pid}-${purpose}-`);
}
