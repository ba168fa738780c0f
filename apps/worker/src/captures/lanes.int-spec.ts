import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { getQueueToken } from '@nestjs/bullmq';
import type { INestApplicationContext } from '@nestjs/common';
import type { Queue } from 'bullmq';
import { BrowserPoolService } from '@app/browser';
import { JobQueue, LANES, MemoryJobQueue, type JobSource } from '@app/jobs';
import { newId } from '@app/kernel';
import { WatchedResolver } from '@app/outbound';
import { Storage } from '@app/storage';
import { BACKENDS } from '../../../../test/support/backends.js';
import { createDatabase, type TestDatabase } from '../../../../test/support/database.js';
import { eventually } from '../../../../test/support/eventually.js';
import { startJobs } from '../../../../test/support/jobs.js';
import { CaptureRunnerService } from './capture-runner.service.js';
import { LanesService } from './lanes.service.js';
import { StoreWatchService } from './store-watch.service.js';

/** A worker without a browser, whose captures end when the test ends them. */
interface TestWorker {
  readonly app: INestApplicationContext;
  /** The names of the jobs that run, in the order in which they started. */
  readonly running: string[];
  healthy: number;
  isStoreAway: boolean;
  /** Whose lookups fail without an answer; whether the name servers answer is up to the test. */
  readonly names: WatchedResolver;
  areNamesAway: boolean;
  /** How many claims fail from now on. */
  outages: number;
  end(id: string): void;
}

const QUEUES = [...BACKENDS, ['memory', () => Promise.resolve({})] as const];

describe.each(QUEUES)('lanes, with the queue in %s', (place, settings) => {
  let env: Record<string, string>;
  let workers: TestWorker[];
  let names: Map<string, string>;
  let rows: TestDatabase;
  let memory: MemoryJobQueue | undefined;

  beforeAll(async () => {
    rows = await createDatabase();
    env = { SHUTDOWN_GRACE_MS: '0', ...(await settings()) };
  });

  afterAll(() => rows.drop());

  beforeEach(() => {
    workers = [];
    names = new Map();
    memory = place === 'memory' ? new MemoryJobQueue() : undefined;
  });

  // A leftover entry would run in the next test, or start now and keep its worker from closing.
  afterEach(async () => {
    for (const worker of workers) worker.healthy = 1;
    await eventually('the queue is empty', async () => {
      for (const each of workers) for (const id of each.running) each.end(id);
      return (await countEntries()) === 0;
    });
    await Promise.all(workers.map(({ app }) => app.close()));
  });

  /** Counts entries that wait, are delayed or were taken by a worker. */
  const countEntries = async (): Promise<number> => {
    if (memory) return memory.size;
    const [worker] = workers;
    if (!worker) return 0;
    const queues = LANES.map((lane) => worker.app.get<Queue>(getQueueToken(lane), { strict: false }));
    const counts = await Promise.all(
      queues.map((queue) => queue.getJobCountByTypes('waiting', 'prioritized', 'delayed', 'active')),
    );
    return counts.reduce((sum, count) => sum + count, 0);
  };

  const start = async (slots: number, healthy = 1): Promise<TestWorker> => {
    const ends = new Map<string, () => void>();
    const running: string[] = [];
    const worker: Omit<TestWorker, 'app'> = {
      running,
      healthy,
      isStoreAway: false,
      areNamesAway: false,
      names: new WatchedResolver(
        { resolve: () => Promise.reject(new Error('EAI_AGAIN')) },
        { check: () => (worker.areNamesAway ? Promise.reject(new Error('ETIMEOUT')) : Promise.resolve()) },
      ),
      outages: 0,
      end: (id: string) => ends.get(id)?.(),
    };
    const run = async (jobId: string): Promise<void> => {
      if (worker.outages-- > 0) throw new Error('the database is away');
      const name = names.get(jobId) ?? jobId;
      running.push(name);
      const ended = new Promise<void>((resolve) => ends.set(name, resolve));
      await rows.query(`UPDATE jobs SET status = 'running' WHERE id = $1`, [jobId]);
      await ended;
      running.splice(running.indexOf(name), 1);
    };
    const check = (): Promise<void> =>
      worker.isStoreAway ? Promise.reject(new Error('the store is away')) : Promise.resolve();
    const { app } = await startJobs({
      database: rows,
      replace: memory ? [[JobQueue, memory]] : [],
      settings: { ...env, WORKER_SLOTS: String(slots) },
      providers: [
        LanesService,
        StoreWatchService,
        { provide: CaptureRunnerService, useValue: { run } },
        {
          provide: BrowserPoolService,
          useValue: { state: () => ({ healthy: worker.healthy, usable: slots }) },
        },
        { provide: Storage, useValue: { check } },
        { provide: WatchedResolver, useValue: worker.names },
      ],
    });
    const started = Object.assign(worker, { app });
    workers.push(started);
    return started;
  };
  const add = async (worker: TestWorker, source: JobSource, ...given: string[]): Promise<void> => {
    for (const name of given) {
      const id = newId();
      names.set(id, name);
      await insert(id, source);
      expect(await worker.app.get(JobQueue).add({ id, source, attempt: 0 })).toBe(true);
    }
  };
  /** Inserts what the lanes read of an accepted job. */
  const insert = (id: string, source: JobSource) =>
    rows.query(
      `WITH account AS (
         INSERT INTO accounts (id, name, allowance, allowance_period, concurrency)
         VALUES ($1::uuid, $1::uuid::text, 1, 'ever', 1) RETURNING id)
       INSERT INTO jobs (id, account_id, source, status, format, options, timeout_ms, usage_period, dispatched_at)
       SELECT id, id, $2, 'queued', 'png', '{}', 60000, 'ever', now() FROM account`,
      [id, source],
    );
  const untilRunning = async (...names: string[]): Promise<void> => {
    const expected = names.toSorted();
    let running: string[] = [];
    const areRunning = (): boolean => {
      running = workers.flatMap((worker) => worker.running).sort();
      return running.join() === expected.join();
    };
    // If they do not, the comparison below shows which jobs run instead.
    await eventually('they run', areRunning).catch(() => undefined);
    expect(running).toEqual(expected);
  };

  it('run as many captures as there are slots, and leave one slot to the interactive lane', async () => {
    const worker = await start(3);
    await add(worker, 'job', 'b1', 'b2', 'b3', 'b4');
    await untilRunning('b1', 'b2');
    await add(worker, 'sync', 'i1', 'i2');
    await untilRunning('b1', 'b2', 'i1');
    worker.end('b2');
    await untilRunning('b1', 'i1', 'i2');
    worker.end('i1');
    const isReplaced = (): boolean => worker.running.length === 3 && !worker.running.includes('i1');
    await eventually('another one runs instead', isReplaced);
    // An entry that went back to the queue comes after the next one.
    const either = ['b3', 'b4'].map((third) => ['b1', third, 'i2']);
    expect(either).toContainEqual(worker.running.toSorted());
  });

  it('take a new entry although they were full when the other lane freed a slot', async () => {
    const worker = await start(3);
    await add(worker, 'job', 'b1', 'b2');
    await untilRunning('b1', 'b2');
    await add(worker, 'sync', 'i1', 'i2');
    await untilRunning('b1', 'b2', 'i1');
    worker.end('b1');
    await untilRunning('b2', 'i1', 'i2');
    worker.end('b2');
    await untilRunning('i1', 'i2');
    await add(worker, 'sync', 'i3');
    await untilRunning('i1', 'i2', 'i3');
  });

  it('keep no entry from an idle worker', async () => {
    const busy = await start(1);
    await add(busy, 'job', 'b1');
    await untilRunning('b1');
    await add(busy, 'sync', 'i1');
    const idle = await start(1);
    await untilRunning('b1', 'i1');
    expect(idle.running).toEqual(['i1']);
  });

  it('leave everything to other workers while no browser runs, and take captures again when one does', async () => {
    const broken = await start(2, 0);
    await add(broken, 'sync', 'i1');
    await add(broken, 'job', 'b1');
    const sound = await start(2);
    await untilRunning('b1', 'i1');
    expect(sound.running).toHaveLength(2);
    await add(broken, 'sync', 'i2');
    broken.healthy = 1;
    await untilRunning('b1', 'i1', 'i2');
    expect(broken.running).toEqual(['i2']);
  });

  it('leave the background to other workers while the store is away, and take it again when it is back', async () => {
    const broken = await start(2);
    broken.isStoreAway = true;
    await add(broken, 'job', 'b1');
    await add(broken, 'sync', 'i1');
    await untilRunning('i1');
    const sound = await start(1);
    await untilRunning('b1', 'i1');
    expect(sound.running).toEqual(['b1']);
    await add(broken, 'job', 'b2');
    broken.isStoreAway = false;
    await untilRunning('b1', 'b2', 'i1');
    expect(broken.running.toSorted()).toEqual(['b2', 'i1']);
  });

  it('leave the background to other workers while no name server answers, and take it again when one does', async () => {
    const broken = await start(2);
    broken.areNamesAway = true;
    await expect(broken.names.resolve('a.example')).rejects.toThrow('No name server answers.');
    await add(broken, 'job', 'b1');
    await add(broken, 'sync', 'i1');
    await untilRunning('i1');
    const sound = await start(1);
    await untilRunning('b1', 'i1');
    expect(sound.running).toEqual(['b1']);
    await add(broken, 'job', 'b2');
    broken.areNamesAway = false;
    await untilRunning('b1', 'b2', 'i1');
    expect(broken.running.toSorted()).toEqual(['b2', 'i1']);
  });

  it('give back entries that wait for a slot when the worker closes, and let running captures end', async () => {
    const leaving = await start(1);
    await add(leaving, 'job', 'b1');
    await untilRunning('b1');
    await add(leaving, 'sync', 'i1');
    await add(leaving, 'job', 'b2');
    const closing = leaving.app.close();
    const staying = await start(2);
    await untilRunning('b1', 'b2', 'i1');
    expect(staying.running.toSorted()).toEqual(['b2', 'i1']);
    leaving.end('b1');
    await closing;
    workers = workers.filter((worker) => worker !== leaving);
  });

  it('run synchronous captures before the background, although there is one slot', async () => {
    const worker = await start(1);
    await add(worker, 'job', 'b0');
    await untilRunning('b0');
    for (let n = 1; n <= 4; n++) {
      await add(worker, 'job', `b${n}`);
      await add(worker, 'sync', `i${n}`);
      worker.end(`b${n - 1}`);
      await untilRunning(`i${n}`);
      worker.end(`i${n}`);
      await untilRunning(`b${n}`);
    }
  });

  it('retry when the database was away at the claim', async () => {
    const worker = await start(1);
    worker.outages = 2;
    await add(worker, 'sync', 'i1');
    await untilRunning('i1');
  });
});
