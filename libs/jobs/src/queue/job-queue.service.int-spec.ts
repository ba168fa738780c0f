import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { Queue, Worker } from 'bullmq';
import { Env } from '@app/config';
import { newId } from '@app/kernel';
import { BACKENDS } from '../../../../test/support/backends.js';
import { eventually } from '../../../../test/support/eventually.js';
import { startJobs } from '../../../../test/support/jobs.js';
import type { StartedModules } from '../../../../test/support/modules.js';
import { queueConnection } from './backend.js';
import { JobQueueService } from './job-queue.service.js';
import type { Lane } from './queues.js';

describe.each(BACKENDS)('the queue of jobs in %s', (_, settings) => {
  let service: StartedModules;
  let env: Env;
  let app: INestApplicationContext;
  let queue: JobQueueService;

  beforeAll(async () => {
    service = await startJobs({ settings: settings() });
    app = service.app;
    env = app.get(Env);
    queue = app.get(JobQueueService);
  });

  afterAll(() => service.close());

  beforeEach(() => withQueue('background', (each) => each.obliterate({ force: true })));

  const withQueue = async <T>(lane: Lane, use: (queue: Queue) => Promise<T>): Promise<T> => {
    const each = new Queue(lane, { connection: queueConnection(env) });
    each.on('error', () => undefined);
    try {
      return await use(each);
    } finally {
      await each.close();
    }
  };
  const aJob = () => ({ id: newId(), source: 'job', attempt: 0 }) as const;
  /** The entries that a worker gets, until `done` says that it has enough. */
  const work = async (lane: Lane, done: (ids: string[]) => boolean): Promise<string[]> => {
    const ids: string[] = [];
    const take = async ({ id = '' }: { id?: string }) => void ids.push(id);
    const worker = new Worker(lane, take, { connection: queueConnection(env) });
    worker.on('error', () => undefined);
    await eventually('the entries are taken', () => done(ids));
    await worker.close();
    return ids;
  };

  it('keeps the lanes apart', async () => {
    const [waited, other] = [{ ...aJob(), source: 'sync' } as const, aJob()];
    await queue.add(waited);
    await queue.add(other);
    expect(await work('interactive', (ids) => ids.length > 0)).toEqual([`${waited.id}.0`]);
    expect(await work('background', (ids) => ids.length > 0)).toEqual([`${other.id}.0`]);
  });

  it('holds one entry for an attempt, however often it is told, and one more for the next attempt', async () => {
    const job = aJob();
    expect(await Promise.all([queue.add(job), queue.add(job)])).toEqual([true, true]);
    await queue.add({ ...job, attempt: 1 });
    const last = aJob();
    await queue.add(last);
    const taken = await work('background', (ids) => ids.includes(`${last.id}.0`));
    expect(taken).toEqual([`${job.id}.0`, `${job.id}.1`, `${last.id}.0`]);
  });

  it('takes the same entry again once it was worked off', async () => {
    const job = aJob();
    await queue.add(job);
    await work('background', (ids) => ids.length > 0);
    await queue.add(job);
    expect(await work('background', (ids) => ids.length > 0)).toEqual([`${job.id}.0`]);
  });

  it('gives out a delayed entry when its time has come, and others before it', async () => {
    const [late, early] = [aJob(), aJob()];
    await queue.add(late, { delayMs: 1_000 });
    await queue.add(early);
    expect(await work('background', (ids) => ids.length === 2)).toEqual([`${early.id}.0`, `${late.id}.0`]);
  });

  it('gives out entries by their turns, and among equals the first one first', async () => {
    const [third, first, second] = [aJob(), aJob(), aJob()];
    await queue.add(third, { priority: 8 });
    await queue.add(first);
    await queue.add(second, { priority: 1 });
    const ids = [first, second, third].map(({ id }) => `${id}.0`);
    expect(await work('background', (taken) => taken.length === 3)).toEqual(ids);
  });

  it('gives an entry another turn, behind those that have the same', async () => {
    const [late, first, second] = [aJob(), aJob(), aJob()];
    await queue.add(late, { priority: 8 });
    await queue.add(second, { priority: 3 });
    await queue.add(first, { priority: 1 });
    expect(await queue.changePriority(second, 1)).toBe(true);
    const ids = [first, second, late].map(({ id }) => `${id}.0`);
    expect(await work('background', (taken) => taken.length === 3)).toEqual(ids);
    expect(await queue.changePriority(second, 1)).toBe(false);
  });

  it('has no turns where somebody waits', async () => {
    const [first, second] = [
      { ...aJob(), source: 'sync' },
      { ...aJob(), source: 'sync' },
    ] as const;
    await queue.add(first, { priority: 8 });
    await queue.add(second);
    const ids = [first, second].map(({ id }) => `${id}.0`);
    expect(await work('interactive', (taken) => taken.length === 2)).toEqual(ids);
  });
});
