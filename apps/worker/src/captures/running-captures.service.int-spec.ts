import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { AttemptsService, JobsService, type Job } from '@app/jobs';
import { newId } from '@app/kernel';
import { createDatabase, type TestDatabase } from '../../../../test/support/database.js';
import { eventually } from '../../../../test/support/eventually.js';
import { startJobs } from '../../../../test/support/jobs.js';
import { WorkerIdentity } from '../worker-identity.js';
import { CaptureStoppedError, RunningCapturesService } from './running-captures.service.js';

describe(RunningCapturesService.name, () => {
  let app: INestApplicationContext;
  let client: TestDatabase;
  let running: RunningCapturesService;
  let worker: WorkerIdentity;
  let accountId: string;

  beforeAll(async () => {
    client = await createDatabase();
  });

  afterAll(() => client.drop());

  beforeEach(async () => {
    ({ app } = await startJobs({
      database: client,
      providers: [RunningCapturesService, WorkerIdentity],
      settings: { SHUTDOWN_GRACE_MS: '0' },
    }));
    running = app.get(RunningCapturesService);
    worker = app.get(WorkerIdentity);
    accountId = await client.addAccount();
  });

  afterEach(() => app.close());

  const claimed = async (): Promise<Job> => {
    const id = newId();
    await client.query(
      `INSERT INTO jobs (id, account_id, source, status, format, options, timeout_ms, usage_period, dispatched_at)
       VALUES ($1, $2, 'sync', 'queued', 'png', '{}', 30000, '2026-11', now())`,
      [id, accountId],
    );
    const job = await app.get(AttemptsService).claim(id, worker.id);
    if (!job) throw new Error('not claimed');
    return job;
  };
  /** Runs an attempt until it is stopped; resolves to the reason. */
  const stopped = (job: Pick<Job, 'id' | 'attempt'>): Promise<string> =>
    running.keep(
      job,
      (signal) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            resolve(
              signal.reason instanceof CaptureStoppedError ? signal.reason.reason : String(signal.reason),
            );
          });
        }),
    );

  it('are stopped when they are canceled', async () => {
    const job = await claimed();
    const stopping = stopped(job);
    await client.query(`INSERT INTO usage_counters (account_id, period, used) VALUES ($1, '2026-11', 1)`, [
      accountId,
    ]);
    await app.get(JobsService).cancel(accountId, job.id, 'client_request');
    expect(await stopping).toBe('canceled');
  });

  it('are stopped although the signal of their cancellation was lost', async () => {
    const job = await claimed();
    const stopping = stopped(job);
    await client.query(`UPDATE jobs SET status = 'canceled' WHERE id = $1`, [job.id]);
    expect(await stopping).toBe('lost');
  });

  it('are stopped when another worker has taken the job', async () => {
    const job = await claimed();
    const stopping = stopped(job);
    await client.query(`UPDATE jobs SET worker_id = 'other', attempt = 2 WHERE id = $1`, [job.id]);
    expect(await stopping).toBe('lost');
  });

  it('are distinguished by their attempt when one job runs here twice', async () => {
    const first = await claimed();
    await client.query(`UPDATE jobs SET attempt = 2 WHERE id = $1`, [first.id]);
    let secondRuns = true;
    const second = stopped({ id: first.id, attempt: 2 }).then((reason) => {
      secondRuns = false;
      return reason;
    });
    expect(await stopped(first)).toBe('lost');
    expect(secondRuns).toBe(true);
    await client.query(`UPDATE jobs SET status = 'canceled' WHERE id = $1`, [first.id]);
    expect(await second).toBe('lost');
  });

  it('are not stopped by a check that had begun before them', async () => {
    const [first, second] = [await claimed(), await claimed()];
    const stopping = stopped(first);
    await using session = await client.session();
    await session.query('BEGIN; LOCK TABLE jobs');
    await eventually('a check waits', async () => (await client.waitingForLocks()) > 0);
    let secondRuns = true;
    const later = stopped(second).finally(() => {
      secondRuns = false;
    });
    await session.query('COMMIT');
    await client.query(`UPDATE jobs SET status = 'canceled' WHERE id = $1`, [first.id]);
    expect(await stopping).toBe('lost');
    expect(secondRuns).toBe(true);
    await client.query(`UPDATE jobs SET status = 'canceled' WHERE id = $1`, [second.id]);
    expect(await later).toBe('lost');
  });

  it('are forgotten when they have ended, also by an error, so that a shutdown does not wait for them', async () => {
    const job = await claimed();
    expect(await running.keep(job, () => Promise.resolve('done'))).toBe('done');
    await expect(running.keep(job, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    await running.stopAll();
  });

  it('are stopped by the shutdown of the worker after the grace period', async () => {
    const stopping = stopped(await claimed());
    running.onModuleDestroy();
    expect(await stopping).toBe('shutdown');
  });
});
