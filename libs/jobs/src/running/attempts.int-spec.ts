import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { withoutFile } from '@app/capture';
import { AppError, newId } from '@app/kernel';
import { UsageService } from '@app/usage';
import type { TestDatabase } from '../../../../test/support/database.js';
import { startJobs, SUCCESS } from '../../../../test/support/jobs.js';
import type { StartedModules } from '../../../../test/support/modules.js';
import { AttemptsService, JobsService, RecoveryService, toCaptureRecord, type Job } from '../index.js';

describe(AttemptsService.name, () => {
  let service: StartedModules;
  let app: INestApplicationContext;
  let client: TestDatabase;
  let attempts: AttemptsService;
  let recovery: RecoveryService;
  let accountId: string;

  beforeAll(async () => {
    service = await startJobs();
    ({ app, database: client } = service);
    attempts = app.get(AttemptsService);
    recovery = app.get(RecoveryService);
  });

  afterAll(() => service.close());

  beforeEach(async () => {
    await client.query('TRUNCATE jobs, concurrency_slots, usage_counters');
    await client.query('DELETE FROM queue.job');
    accountId = await client.addAccount({ allowance: 10, concurrency: 3 });
  });

  /** Inserts a dispatched background job with the unit and the slot that it holds. */
  const dispatched = async (): Promise<string> => {
    const id = newId();
    await client.query(
      `INSERT INTO usage_counters (account_id, period, used) VALUES ($1, '2026-11', 1)
       ON CONFLICT (account_id, period) DO UPDATE SET used = usage_counters.used + 1`,
      [accountId],
    );
    await client.query(
      `INSERT INTO jobs (id, account_id, source, status, format, options, timeout_ms, usage_period, dispatched_at)
       VALUES ($1, $2, 'job', 'queued', 'png', '{}', 30000, '2026-11', now())`,
      [id, accountId],
    );
    await client.query(
      `INSERT INTO concurrency_slots (job_id, account_id, held_until, free_by)
       VALUES ($1, $2, now() + interval '1 s', now() + interval '1 s')`,
      [id, accountId],
    );
    return id;
  };
  const claim = async (id: string, worker = 'worker'): Promise<Job> => {
    const job = await attempts.claim(id, worker);
    if (!job) throw new Error('not claimed');
    return job;
  };
  const running = async (worker?: string): Promise<Job> => claim(await dispatched(), worker);
  const find = (id: string): Promise<Job> => app.get(JobsService).find(accountId, id);
  const expireLease = (id: string) =>
    client.query(`UPDATE jobs SET lease_until = now() - interval '1 ms' WHERE id = $1`, [id]);
  const used = async (): Promise<number> => {
    const { rows } = await client.query<{ used: number }>(
      `SELECT used FROM usage_counters WHERE account_id = $1`,
      [accountId],
    );
    return rows[0]?.used ?? 0;
  };
  /** Returns for how many seconds from now the job's slot is held; null when it holds none. */
  const heldS = async (id: string): Promise<number | null> => {
    const { rows } = await client.query<{ s: string }>(
      `SELECT extract(epoch FROM held_until - now()) AS s FROM concurrency_slots WHERE job_id = $1`,
      [id],
    );
    return rows[0] ? Number(rows[0].s) : null;
  };
  const hints = async (): Promise<{ id: string; delay: number }[]> => {
    const { rows } = await client.query<{ id: string; delay: number }>(
      `SELECT id, coalesce((opts->>'delay')::int, 0) AS delay FROM queue.job ORDER BY id`,
    );
    return rows;
  };

  describe('claiming', () => {
    const need = (id: string, ...needs: string[]) =>
      client.query(`UPDATE jobs SET needs = $2 WHERE id = $1`, [id, needs]);

    it('leaves a job to other workers that needs more than the worker knows', async () => {
      const id = await dispatched();
      await need(id, 'clean', 'an_option_of_a_later_version');
      await expect(attempts.claim(id, 'worker')).rejects.toThrow(
        'This worker does not know an_option_of_a_later_version.',
      );
      expect(await find(id)).toMatchObject({ status: 'queued', attempt: 0 });
      await need(id, 'clean', 'format=avif');
      expect(await claim(id)).toMatchObject({ attempt: 1 });
    });

    it('leaves nothing to other workers once one of them has taken the job', async () => {
      const { id } = await running();
      await need(id, 'an_option_of_a_later_version');
      expect(await attempts.claim(id, 'worker')).toBeNull();
    });

    it('is not possible before the job is dispatched', async () => {
      const id = await dispatched();
      await client.query(`UPDATE jobs SET dispatched_at = NULL WHERE id = $1`, [id]);
      expect(await attempts.claim(id, 'worker')).toBeNull();
    });

    it('holds the slot of the account for as long as the capture may take', async () => {
      const { id, timeoutMs } = await running();
      expect(await heldS(id)).toBeGreaterThan(timeoutMs / 1_000);
    });

    it('is not possible while the job runs, even if its lease has expired', async () => {
      const { id } = await running();
      expect(await attempts.claim(id, 'other')).toBeNull();
      await expireLease(id);
      expect(await attempts.claim(id, 'other')).toBeNull();
    });
  });

  describe('a transient error', () => {
    it('queues the job again after a delay, with its slot and its unit', async () => {
      const job = await running();
      expect(await attempts.fail(job, new AppError('browser_crashed'))).toBe('again');
      expect(await find(job.id)).toMatchObject({
        status: 'queued',
        attempt: 1,
        failures: 1,
        losses: 0,
        workerId: null,
      });
      expect(await hints()).toEqual([{ id: `${job.id}.1`, delay: expect.any(Number) }]);
      expect((await hints())[0]?.delay).toBeGreaterThan(0);
      expect(await heldS(job.id)).not.toBeNull();
      expect(await used()).toBe(1);
    });

    it('ends the job when it is the third', async () => {
      const id = await dispatched();
      const outcomes: string[] = [];
      for (const worker of ['a', 'b', 'c']) {
        outcomes.push(await attempts.fail(await claim(id, worker), new AppError('browser_crashed')));
      }
      expect(outcomes).toEqual(['again', 'again', 'failed']);
      expect(await find(id)).toMatchObject({ status: 'failed', failures: 3, errorCode: 'browser_crashed' });
      expect([await heldS(id), await used()]).toEqual([null, 0]);
    });

    it('does not count attempts that were handed back', async () => {
      const id = await dispatched();
      for (const worker of ['a', 'b', 'c', 'd']) {
        expect(await attempts.handBack(await claim(id, worker))).toBe('again');
      }
      expect(await attempts.fail(await claim(id), new AppError('browser_crashed'))).toBe('again');
      expect(await find(id)).toMatchObject({ attempt: 5, failures: 1, losses: 0 });
    });
  });

  it('queues a job that is handed back without a delay, as an entry for the next attempt', async () => {
    const job = await running();
    // It was the seventh of its account when it was first dispatched.
    await client.query(`UPDATE jobs SET priority = 7 WHERE id = $1`, [job.id]);
    await attempts.handBack(job);
    expect(await hints()).toEqual([{ id: `${job.id}.1`, delay: 0 }]);
    expect(await find(job.id)).toMatchObject({ priority: null });
    expect(await claim(job.id, 'other')).toMatchObject({ attempt: 2 });
  });

  it('queues a job that waits for its session with that delay', async () => {
    const job = await running();
    await attempts.postpone(job, 60_000);
    expect(await hints()).toEqual([{ id: `${job.id}.1`, delay: 60_000 }]);
  });

  it('ends a job at once after a permanent error', async () => {
    const job = await running();
    expect(await attempts.fail(job, new AppError('target_dns_error'))).toBe('failed');
    expect(await find(job.id)).toMatchObject({ failures: 0, errorCode: 'target_dns_error' });
  });

  it('keeps what was learnt about a page when its last attempt has failed', async () => {
    const { timings } = SUCCESS;
    const known = { facts: withoutFile(SUCCESS.facts), timings };
    const again = await running();
    expect(await attempts.fail(again, new AppError('browser_crashed'), known)).toBe('again');
    expect(await find(again.id)).toMatchObject({ status: 'queued', httpStatus: null, timings: null });
    const job = await running();
    expect(await attempts.fail(job, new AppError('target_http_error'), known)).toBe('failed');
    expect(toCaptureRecord(await find(job.id))).toMatchObject({
      final_url: 'https://example.com/final?q=ü',
      http_status: 200,
      title: 'Example Domain',
      page_height: 2_000,
      timings,
      // These describe a file, which does not exist.
      width: null,
      truncated: null,
      complete: null,
    });
  });

  describe('a worker whose lease has expired', () => {
    it('loses the job to another worker, and can no longer end it', async () => {
      const job = await running('silent');
      expect(await recovery.endAbandonedRuns()).toEqual([]);
      await expireLease(job.id);
      expect(await recovery.endAbandonedRuns()).toMatchObject([
        { id: job.id, workerId: 'silent', outcome: 'again' },
      ]);
      expect(await hints()).toEqual([{ id: `${job.id}.1`, delay: 0 }]);
      const second = await claim(job.id, 'other');
      expect(second).toMatchObject({ attempt: 2, failures: 0, losses: 1 });

      expect(await attempts.renew('silent', [job.id])).toEqual([]);
      expect(await attempts.listRunning('silent', [job.id])).toEqual([]);
      expect(await attempts.succeed(job, SUCCESS)).toBe(false);
      expect(await attempts.fail(job, new AppError('internal'))).toBe('lost');
      expect(await attempts.handBack(job)).toBe('lost');
      expect(await find(job.id)).toMatchObject({ status: 'running', attempt: 2 });
      expect(await attempts.succeed(second, SUCCESS)).toBe(true);
      // The job succeeded with another attempt, so the worker drops the file that it stored.
      expect(await attempts.succeed(job, SUCCESS)).toBe(false);
    });

    it('does not count as the one that failed a job which another attempt failed', async () => {
      const job = await running('silent');
      await expireLease(job.id);
      await recovery.endAbandonedRuns();
      const error = new AppError('target_dns_error');
      expect(await attempts.fail(await claim(job.id, 'other'), error)).toBe('failed');
      expect(await attempts.fail(job, error)).toBe('lost');
    });

    it('keeps the job when it renews its lease before the reconciler runs', async () => {
      const job = await running();
      await expireLease(job.id);
      expect(await attempts.renew('worker', [job.id])).toEqual([{ id: job.id, attempt: 1 }]);
      expect(await attempts.listRunning('worker', [job.id])).toMatchObject([{ id: job.id, attempt: 1 }]);
      expect(await recovery.endAbandonedRuns()).toEqual([]);
      expect(await attempts.endLost(job, new AppError('worker_lost'))).toBe('lost');
    });

    it('ends the job when it is the second', async () => {
      const { id } = await running();
      await expireLease(id);
      await recovery.endAbandonedRuns();
      await claim(id, 'other');
      await expireLease(id);
      expect(await recovery.endAbandonedRuns()).toMatchObject([{ id, outcome: 'failed' }]);
      expect(await find(id)).toMatchObject({ status: 'failed', losses: 2, errorCode: 'worker_lost' });
      expect([await heldS(id), await used()]).toEqual([null, 0]);
    });

    it('counts together with transient errors', async () => {
      const id = await dispatched();
      await attempts.fail(await claim(id), new AppError('browser_crashed'));
      await attempts.fail(await claim(id), new AppError('browser_crashed'));
      await claim(id);
      await expireLease(id);
      expect(await recovery.endAbandonedRuns()).toMatchObject([{ id, outcome: 'failed' }]);
    });

    it('loses the job once although two processes notice it', async () => {
      const { id } = await running();
      await expireLease(id);
      const both = await Promise.all([recovery.endAbandonedRuns(), recovery.endAbandonedRuns()]);
      expect(both.flat().filter(({ outcome }) => outcome === 'again')).toHaveLength(1);
      expect(await find(id)).toMatchObject({ losses: 1 });
    });
  });

  it('returns the same result when a call is repeated because its answer was lost', async () => {
    const [good, bad] = [await running(), await running()];
    expect([await attempts.succeed(good, SUCCESS), await attempts.succeed(good, SUCCESS)]).toEqual([
      true,
      true,
    ]);
    const error = new AppError('target_dns_error');
    expect([await attempts.fail(bad, error), await attempts.fail(bad, error)]).toEqual(['failed', 'failed']);
    expect(await used()).toBe(1);
  });

  describe('slots', () => {
    /** Between the length of a lease and the hold of a queued job, so that no assertion depends on milliseconds. */
    const LEASE_S = 40;
    const QUEUED_S = 80;

    it('are held as long as the lease of the worker, and renewed with it', async () => {
      const id = await dispatched();
      await client.query(`UPDATE concurrency_slots SET held_until = now() + interval '90 s'`);
      await claim(id);
      expect(await heldS(id)).toBeLessThan(LEASE_S);
      await client.query(`UPDATE concurrency_slots SET held_until = now() + interval '1 s'`);
      await attempts.renew('worker', [id]);
      expect(await heldS(id)).toBeGreaterThan(20);
      expect(await heldS(id)).toBeLessThan(LEASE_S);
    });

    it('are reported as free when the capture must have ended, however long a lease is', async () => {
      const { id } = await running();
      const freeAt = async () => (await app.get(UsageService).report(accountId)).concurrency.reset_unix;
      const reported = await freeAt();
      expect(reported * 1_000 - Date.now()).toBeGreaterThan(QUEUED_S * 1_000);
      expect(await heldS(id)).toBeLessThan(LEASE_S);
      await attempts.renew('worker', [id]);
      expect(await freeAt()).toBe(reported);
    });

    it('are not counted after the lease of a dead worker has expired', async () => {
      await running();
      const remaining = async () => (await app.get(UsageService).report(accountId)).concurrency.remaining;
      expect(await remaining()).toBe(2);
      await client.query(`UPDATE concurrency_slots SET held_until = held_until - interval '${LEASE_S} s'`);
      expect(await remaining()).toBe(3);
    });

    it.each([
      ['hands it back', (job: Job) => attempts.handBack(job)],
      ['has a transient error', (job: Job) => attempts.fail(job, new AppError('browser_crashed'))],
      [
        'is lost',
        async (job: Job) => {
          await expireLease(job.id);
          return attempts.endLost(job, new AppError('worker_lost'));
        },
      ],
    ])('are held as for a queued job again when the worker %s', async (_, end) => {
      const job = await running();
      expect(await end(job)).toBe('again');
      expect(await heldS(job.id)).toBeGreaterThan(QUEUED_S);
    });
  });

  describe('hints', () => {
    it('are repeated for jobs that no worker took, with the holds of their slots', async () => {
      const id = await dispatched();
      await recovery.repeatHints();
      expect(await hints()).toEqual([]);
      await client.query(`UPDATE jobs SET dispatched_at = now() - interval '6 s' WHERE id = $1`, [id]);
      await recovery.repeatHints();
      await recovery.repeatHints();
      expect(await hints()).toEqual([{ id: `${id}.0`, delay: 0 }]);
      expect(await heldS(id)).toBeGreaterThan(30);
    });

    it('are repeated with the position of the job among those in flight of its account as priority', async () => {
      const own = accountId;
      accountId = await client.addAccount();
      const other = await dispatched();
      await client.query(`UPDATE jobs SET dispatched_at = now() - interval '9 s' WHERE id = $1`, [other]);
      accountId = own;
      const [first, second] = [await dispatched(), await dispatched()];
      for (const [id, ageS] of [
        [first, 8],
        [second, 7],
      ] as const) {
        await client.query(`UPDATE jobs SET dispatched_at = now() - $2 * interval '1 s' WHERE id = $1`, [
          id,
          ageS,
        ]);
      }
      await recovery.repeatHints();
      const { rows } = await client.query(
        `SELECT id, (opts->>'priority')::int AS priority FROM queue.job WHERE id <> $1 ORDER BY 2`,
        [`${other}.0`],
      );
      expect(rows).toEqual([
        { id: `${first}.0`, priority: 1 },
        { id: `${second}.0`, priority: 2 },
      ]);
    });

    it('are not repeated for jobs that wait, run or have ended', async () => {
      const [waiting, ended] = [await dispatched(), await dispatched()];
      await running();
      await client.query(`UPDATE jobs SET dispatched_at = now() - interval '1 hour'`);
      await client.query(`UPDATE jobs SET dispatched_at = NULL WHERE id = $1`, [waiting]);
      await app.get(JobsService).cancel(accountId, ended, 'client_request');
      await recovery.repeatHints();
      expect(await hints()).toEqual([]);
    });
  });

  it('leaves usage unchanged when everything has ended without success', async () => {
    const id = await dispatched();
    await app.get(JobsService).cancel(accountId, id, 'client_request');
    expect(await app.get(UsageService).report(accountId)).toMatchObject({ concurrency: { remaining: 3 } });
    expect(await used()).toBe(0);
  });
});
