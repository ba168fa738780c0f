import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { getQueueToken } from '@nestjs/bullmq';
import type { INestApplicationContext } from '@nestjs/common';
import type { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { newId } from '@app/kernel';
import { BACKENDS, createRedis, testRedisUrl } from '../../../../test/support/backends.js';
import { eventually } from '../../../../test/support/eventually.js';
import { startJobs } from '../../../../test/support/jobs.js';
import type { StartedModules } from '../../../../test/support/modules.js';
import { conformsToJobQueue } from './job-queue.conformance.js';
import { JobQueue } from './job-queue.js';
import { LANES, type Lane } from './lanes.js';

describe.each(BACKENDS)('the queue of BullMQ in %s', (_, settings) => {
  let service: StartedModules;
  let app: INestApplicationContext;

  beforeAll(async () => {
    service = await startJobs({ settings: await settings() });
    ({ app } = service);
  });

  afterAll(() => service.close());

  beforeEach(async () => {
    for (const lane of LANES) await queueOf(lane).obliterate({ force: true });
  });

  const queueOf = (lane: Lane): Queue => app.get(getQueueToken(lane), { strict: false });

  conformsToJobQueue(() => app.get(JobQueue));

  it('names entries by job and attempt, in the queue of their lane', async () => {
    const [sync, background] = [newId(), newId()];
    await app.get(JobQueue).add({ id: sync, source: 'sync', attempt: 0 });
    await app.get(JobQueue).add({ id: background, source: 'job', attempt: 2 });
    const idsIn = async (lane: Lane) =>
      (await queueOf(lane).getJobs(['waiting', 'prioritized'])).map(({ id }) => id);
    expect(await idsIn('interactive')).toEqual([`${sync}.0`]);
    expect(await idsIn('background')).toEqual([`${background}.2`]);
  });
});

(testRedisUrl === undefined ? describe.skip : describe)('a consumer of the queue in Redis', () => {
  it('closes while it waits to open a connection again', async () => {
    const url = await createRedis(testRedisUrl ?? '');
    const service = await startJobs({ settings: { REDIS_URL: url } });
    await using opened = new AsyncDisposableStack();
    opened.defer(() => service.close());
    const redis = opened.adopt(new Redis(url), (client) => client.disconnect());
    /** The connections that wait for entries in this database of the Redis of all specs. */
    const waiting = async (): Promise<string[]> => {
      const clients = (await redis.call('CLIENT', 'LIST')) as string;
      const database = ` db=${new URL(url).pathname.slice(1)} `;
      const lines = clients
        .split('\n')
        .filter((line) => line.includes(database) && /cmd=bzpopmin/.test(line));
      return lines.map((line) => /^id=(\d+)/.exec(line)?.[1] ?? '');
    };
    const handler = { handle: () => Promise.resolve(null), onReleased: () => undefined };
    const consumer = service.app.get(JobQueue).consume('background', handler);
    consumer.setConcurrency(1);
    await eventually('it waits for entries', async () => (await waiting()).length === 1);
    for (const id of await waiting()) await redis.call('CLIENT', 'KILL', 'ID', id);
    await eventually('its connection is lost', async () => (await waiting()).length === 0);
    await consumer.close();
  }, 20_000);
});
