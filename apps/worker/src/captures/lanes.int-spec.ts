import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { getQueueToken } from '@nestjs/bullmq';
import type { INestApplicationContext } from '@nestjs/common';
import type { Queue } from 'bullmq';
import { BrowserPoolService } from '@app/browser';
import {
  JobBacklogRepository,
  JobQueue,
  LANES,
  MemoryJobQueue,
  UnknownFeaturesError,
  type JobSource,
} from '@app/jobs';
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
  /** Whether jobs need more than it knows, and how many it has left to other workers for that. */
  isEarlier: boolean;
  left: number;
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
      isEarlier: false,
      left: 0,
      end: (id: string) => ends.get(id)?.(),
    };
    const run = async (jobId: string, onClaimed: () => void): Promise<void> => {
      if (worker.outages-- > 0) throw new Error('the database is away');
      if (worker.isEarlier) {
        worker.left++;
        throw new UnknownFeaturesError(['an_option']);
      }
      const name = names.get(jobId) ?? jobId;
      running.push(name);
      const ended = new Promise<void>((resolve) => ends.set(name, resolve));
      await rows.query(`UPDATE jobs SET status = 'running' WHERE id = $1`, [jobId]);
      onClaimed();
      await ended;
      await rows.query(`UPDATE jobs SET status = 'succeeded', finished_at = now() WHERE id = $1`, [jobId]);
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
  /** Adds jobs of accounts of their own. */
  const add = async (worker: TestWorker, source: JobSource, ...given: string[]): Promise<void> => {
    for (const name of given) await addOf(await account(), worker, { source, name });
  };
  const account = (): Promise<string> => rows.addAccount({ allowance: 1, concurrency: 100 });
  /** Adds what the lanes read of an accepted job. */
  const addOf = async (
    accountId: string,
    worker: TestWorker,
    { source, name, priority = 1 }: { source: JobSource; name: string; priority?: number },
  ): Promise<void> => {
    const id = newId();
    names.set(id, name);
    await insert(id, accountId, { source, status: 'queued' });
    expect(await worker.app.get(JobQueue).add({ id, source, attempt: 0 }, { priority })).toBe(true);
  };
  const insert = (id: string, accountId: string, job: { source: JobSource; status: string }) =>
    rows.query(
      `INSERT INTO jobs (id, account_id, source, status, format, options, timeout_ms, usage_period, dispatched_at)
       VALUES ($1, $2, $3, $4, 'png', '{}', 60000, 'ever', now())`,
      [id, accountId, job.source, job.status],
    );
  /** Ends the capture that runs, `times` times; returns those that start instead. */
  const turnsOf = async (worker: TestWorker, times: number): Promise<string[]> => {
    const started: string[] = [];
    for (let n = 0; n < times; n++) {
      await untilSeen(worker);
      const [ending = ''] = worker.running;
      worker.end(ending);
      await eventually('the next one runs', () => worker.running.some((name) => name !== ending));
      started.push(...worker.running);
    }
    return started;
  };
  /** Resolves once the worker has read what waits now. */
  const untilSeen = async ({ app }: TestWorker): Promise<void> => {
    const reading = jest.spyOn(app.get(JobBacklogRepository), 'readNext');
    await eventually('it reads what waits', () => reading.mock.results.length > 1);
    await reading.mock.results[0]?.value;
    await new Promise(setImmediate);
    reading.mockRestore();
  };
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

  it('end what runs and take nothing more while the worker drains, and take captures again afterwards', async () => {
    const worker = await start(2);
    const lanes = worker.app.get(LanesService);
    await add(worker, 'sync', 'before');
    await eventually('it runs', () => worker.running.length === 1);
    lanes.setDraining(true);
    expect(lanes.state).toBe('draining');
    await add(worker, 'sync', 'interactive');
    await add(worker, 'job', 'background');
    worker.end('before');
    await eventually('it has drained', () => lanes.state === 'drained');
    const other = await start(4);
    await eventually('another worker takes over', () => other.running.length === 2);
    expect(worker.running).toEqual([]);
    lanes.setDraining(false);
    expect(lanes.state).toBe('active');
    for (const name of ['interactive', 'background']) other.end(name);
    other.healthy = 0;
    await add(worker, 'sync', 'after');
    await eventually('it takes captures again', () => worker.running.length === 1);
  });

  it.each(['sync', 'job'] as const)(
    'leave a capture of source %s that needs more than a worker knows to one that knows it',
    async (source) => {
      const earlier = await start(2);
      earlier.isEarlier = true;
      await add(earlier, source, 'needy');
      await eventually('the earlier one has taken it again and again', () => earlier.left > 1);
      const later = await start(2);
      await untilRunning('needy');
      expect(later.running).toEqual(['needy']);
    },
  );

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

  it('let the lanes take turns among accounts that run nothing', async () => {
    const worker = await start(1);
    await add(worker, 'sync', 'i0');
    await untilRunning('i0');
    await add(worker, 'sync', 'i1', 'i2', 'i3');
    await add(worker, 'job', 'b1', 'b2');
    const turns = await turnsOf(worker, 5);
    // A job that goes back to the queue may come after the next one, which is a job of the same account.
    expect(turns.map((name) => name.replace(/^b\d/, 'b'))).toEqual(['i1', 'b', 'i2', 'b', 'i3']);
    expect(turns).toEqual(expect.arrayContaining(['b1', 'b2']));
  });

  it('start a background job after three synchronous captures, although its account runs others', async () => {
    const worker = await start(1);
    const busy = await account();
    await insert(newId(), busy, { source: 'batch', status: 'running' });
    await add(worker, 'sync', 'i0');
    await untilRunning('i0');
    await add(worker, 'sync', 'i1', 'i2', 'i3', 'i4');
    await addOf(busy, worker, { source: 'batch', name: 'b1' });
    expect(await turnsOf(worker, 5)).toEqual(['i1', 'i2', 'i3', 'b1', 'i4']);
    await rows.query(`UPDATE jobs SET status = 'succeeded' WHERE account_id = $1`, [busy]);
  });

  it('start a background job before the next synchronous capture of an account that has all slots', async () => {
    const worker = await start(2);
    const greedy = await account();
    for (const priority of [1, 2, 3, 4]) {
      await addOf(greedy, worker, { source: 'sync', name: `g${priority}`, priority });
    }
    await untilRunning('g1', 'g2');
    await add(worker, 'sync', 'i1');
    await add(worker, 'job', 'b1');
    await untilSeen(worker);
    worker.end('g1');
    await untilRunning('g2', 'i1');
    await untilSeen(worker);
    worker.end('g2');
    await untilRunning('b1', 'i1');
  });

  it('keep a slot for the background for a moment only, if its entry is lost', async () => {
    const worker = await start(1);
    const greedy = await account();
    await addOf(greedy, worker, { source: 'sync', name: 'g1' });
    await untilRunning('g1');
    await addOf(greedy, worker, { source: 'sync', name: 'g2', priority: 2 });
    const lost = newId();
    await insert(lost, await account(), { source: 'job', status: 'queued' });
    await untilSeen(worker);
    worker.end('g1');
    await untilRunning('g2');
    await rows.query(`DELETE FROM jobs WHERE id = $1`, [lost]);
  });

  it('retry when the database was away at the claim', async () => {
    const worker = await start(1);
    worker.outages = 2;
    await add(worker, 'sync', 'i1');
    await untilRunning('i1');
  });
});
