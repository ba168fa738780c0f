import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { getQueueToken } from '@nestjs/bullmq';
import type { INestApplicationContext } from '@nestjs/common';
import type { Queue } from 'bullmq';
import { newId } from '@app/kernel';
import { BACKENDS } from '../../../../test/support/backends.js';
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
