import { createPostgresBackend, Queue, setDefaultBackendFactory } from 'bullmq';
import type { Servers } from './servers.js';

/** The service's queue of background work, as anybody who can reach its server may write to it. */
export function backgroundQueue({ postgres, redis }: Servers): Queue<{ jobId: string }> {
  if (redis) {
    setDefaultBackendFactory();
    const { hostname: host, port } = new URL(redis.url);
    return new Queue('background', { connection: { host, port: Number(port) } });
  }
  setDefaultBackendFactory(createPostgresBackend);
  // BullMQ types every connection as Redis's; the PostgreSQL backend reads this object.
  const connection = { connectionString: postgres.url, schema: 'queue', max: 1 };
  return new Queue('background', { connection });
}
