import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { parseOptions } from '@app/capture';
import { AppError, newId } from '@app/kernel';
import { UsageService } from '@app/usage';
import type { TestDatabase } from '../../../test/support/database.js';
import { startJobs, SUCCESS } from '../../../test/support/jobs.js';
import { codeOf, type StartedModules } from '../../../test/support/modules.js';
import { AttemptsService, JobQueue, JobsService, type Job } from './index.js';

const options = (more: Record<string, unknown> = {}) => parseOptions({ url: 'https://example.com', ...more });

describe('jobs', () => {
  let service: StartedModules;
  let app: INestApplicationContext;
  let client: TestDatabase;
  let jobs: JobsService;
  let attempts: AttemptsService;
  let usage: UsageService;
  let accountId: string;

  beforeAll(async () => {
    service = await startJobs();
    ({ app, database: client } = service);
    jobs = app.get(JobsService);
    attempts = app.get(AttemptsService);
    usage = app.get(UsageService);
  });

  afterAll(() => service.close());

  beforeEach(async () => {
    accountId = await client.addAccount({ allowance: 10, concurrency: 3 });
  });

  afterEach(async () => {
    const { used } = await usage.report(accountId);
    const { rows } = await client.query<{ held: number }>(
      `SELECT count(*)::int AS held FROM jobs WHERE account_id = $1 AND status IN ('queued', 'running', 'succeeded')`,
      [accountId],
    );
    // Whatever the test did, the counters agree with the rows.
    expect(used).toBe(rows[0]?.held);
  });

  const submit = async (more?: Record<string, unknown>): Promise<Job> =>
    (await jobs.submit({ accountId, source: 'sync', options: options(more) })).job;
  const claimed = async (more?: Record<string, unknown>): Promise<Job> => {
    const { id } = await submit(more);
    const job = await attempts.claim(id, 'worker-1');
    if (!job) throw new Error('not claimed');
    return job;
  };

  describe('accepting', () => {
    it('stores a queued row with the canonical target and what the caller requested', async () => {
      const job = await submit({ format: 'jpeg', reference: 'r-1' });
      expect(await jobs.find(accountId, job.id)).toMatchObject({
        source: 'sync',
        status: 'queued',
        url: 'https://example.com/',
        host: 'example.com',
        format: 'jpeg',
        reference: 'r-1',
        attempt: 0,
        finishedAt: null,
      });
    });

    it('reserves one unit and one slot', async () => {
      await submit();
      expect(await usage.report(accountId)).toMatchObject({
        total: 10,
        used: 1,
        available: 9,
        concurrency: { limit: 3, remaining: 2 },
      });
    });

    it('refuses exactly those of many concurrent captures that have no slot', async () => {
      const results = await Promise.allSettled(Array.from({ length: 12 }, () => submit()));
      const refused = results.filter((r): r is PromiseRejectedResult => r.status === 'rejected');
      expect(results.length - refused.length).toBe(3);
      expect(new Set(refused.map(({ reason }) => codeOf(reason)))).toEqual(new Set(['concurrency_exceeded']));
    });

    it('refuses exactly those of many concurrent captures that the allowance does not cover, and stores none of them', async () => {
      await client.query('UPDATE accounts SET allowance = 2, concurrency = 50 WHERE id = $1', [accountId]);
      const results = await Promise.allSettled(Array.from({ length: 12 }, () => submit()));
      const refused = results.filter((r): r is PromiseRejectedResult => r.status === 'rejected');
      expect(new Set(refused.map(({ reason }) => codeOf(reason)))).toEqual(new Set(['allowance_exhausted']));
      const { rows } = await client.query('SELECT id FROM jobs WHERE account_id = $1', [accountId]);
      expect(rows).toHaveLength(2);
    });

    it('refuses a target that is not public before anything is stored', async () => {
      for (const target of [{ url: 'http://127.0.0.1/' }, { html: '<p>', base_url: 'http://127.0.0.1/' }]) {
        const submitting = jobs.submit({ accountId, source: 'sync', options: parseOptions(target) });
        expect(codeOf(await submitting.catch((error: unknown) => error))).toBe('target_forbidden');
      }
      expect((await usage.report(accountId)).used).toBe(0);
    });

    it('encrypts secrets, gives them to the worker, and deletes them at the end', async () => {
      const headers = { Authorization: 'Bearer hunter2' };
      const job = await claimed({ headers });
      const stored = async (): Promise<string> =>
        JSON.stringify((await client.query('SELECT * FROM jobs WHERE id = $1', [job.id])).rows);
      expect(job.options).toMatchObject({ headers: '[redacted]' });
      expect(await stored()).not.toContain('hunter2');
      expect(attempts.optionsOf(job)).toMatchObject({ headers, format: 'png' });
      await attempts.succeed(job, SUCCESS);
      expect((await client.query('SELECT secrets FROM jobs WHERE id = $1', [job.id])).rows).toEqual([
        { secrets: null },
      ]);
    });
  });

  describe('running', () => {
    it('is given to one worker only', async () => {
      const { id } = await submit();
      const claims = await Promise.all(['a', 'b', 'c'].map((worker) => attempts.claim(id, worker)));
      expect(claims.filter((claim) => claim !== null)).toHaveLength(1);
    });

    it('ends with a file, a record and a charge', async () => {
      const job = await claimed();
      expect(await attempts.succeed(job, SUCCESS)).toBe(true);
      expect(await jobs.find(accountId, job.id)).toMatchObject({
        status: 'succeeded',
        attempt: 1,
        title: 'Example Domain',
        resultKey: 'captures/x/1.png',
        timings: SUCCESS.timings,
        totalMs: SUCCESS.timings.total_ms,
        leaseUntil: null,
      });
      expect(await usage.report(accountId)).toMatchObject({ used: 1, concurrency: { remaining: 3 } });
    });

    it('is retried after transient errors until no attempt is left, and then gives its unit back', async () => {
      const { id } = await submit();
      const outcomes: string[] = [];
      for (const worker of ['a', 'b', 'c']) {
        const job = await attempts.claim(id, worker);
        if (job) outcomes.push(await attempts.fail(job, new AppError('browser_crashed')));
      }
      expect(outcomes).toEqual(['again', 'again', 'failed']);
      expect(await jobs.find(accountId, id)).toMatchObject({
        status: 'failed',
        attempt: 3,
        errorCode: 'browser_crashed',
        error: { code: 'browser_crashed', retryable: true },
      });
      expect((await usage.report(accountId)).used).toBe(0);
    });

    it('ends at once after a permanent error', async () => {
      const job = await claimed();
      expect(await attempts.fail(job, new AppError('target_dns_error'))).toBe('failed');
    });
  });

  describe('canceling', () => {
    it.each(['queued', 'running'])('ends a %s job and gives everything back', async (state) => {
      const job = state === 'running' ? await claimed() : await submit();
      const canceled = await jobs.cancel(accountId, job.id, 'client_request');
      expect(canceled).toMatchObject({ status: 'canceled', cancelReason: 'client_request' });
      expect(await usage.report(accountId)).toMatchObject({ used: 0, concurrency: { remaining: 3 } });
      expect(await attempts.succeed({ id: job.id, attempt: 1 }, SUCCESS)).toBe(false);
    });

    it('returns the same record when it is repeated', async () => {
      const { id } = await submit();
      await jobs.cancel(accountId, id, 'client_disconnected');
      const again = await jobs.cancel(accountId, id, 'client_request');
      expect(again).toMatchObject({ status: 'canceled', cancelReason: 'client_disconnected' });
    });

    it('refuses a job that has ended', async () => {
      const job = await claimed();
      await attempts.succeed(job, SUCCESS);
      const error: unknown = await jobs.cancel(accountId, job.id, 'client_request').catch((e: unknown) => e);
      expect(codeOf(error)).toBe('job_finished');
    });

    it('does not find the job of another account', async () => {
      const { id } = await submit();
      const error: unknown = await jobs.cancel(newId(), id, 'client_request').catch((e: unknown) => e);
      expect(codeOf(error)).toBe('not_found');
    });
  });

  describe('waiting', () => {
    it('ends with the job', async () => {
      const job = await claimed();
      const waiting = jobs.waitForEnd(job.id, 60_000);
      await attempts.succeed(job, SUCCESS);
      expect((await waiting).status).toBe('succeeded');
    });

    it('ends with the job although the signal was lost with its connection', async () => {
      const job = await claimed();
      const waiting = jobs.waitForEnd(job.id, 60_000);
      await client.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE application_name = 'capture-notifications' AND datname = current_database()`,
      );
      await attempts.succeed(job, SUCCESS);
      expect((await waiting).status).toBe('succeeded');
    });

    it('returns the job as it is after the timeout, and when it is aborted', async () => {
      const job = await claimed();
      expect((await jobs.waitForEnd(job.id, 1)).status).toBe('running');
      const gone = new AbortController();
      const waiting = jobs.waitForEnd(job.id, 60_000, { signal: gone.signal });
      gone.abort();
      expect((await waiting).status).toBe('running');
    });

    it('returns at once when the job has ended', async () => {
      const job = await claimed();
      await attempts.succeed(job, SUCCESS);
      expect((await jobs.waitForEnd(job.id, 60_000)).status).toBe('succeeded');
    });
  });

  it('has one queue entry for a job, however often it is added', async () => {
    const job = await submit();
    await app.get(JobQueue).add(job);
    const { rows } = await client.query(`SELECT id FROM queue.job WHERE data->>'jobId' = $1`, [job.id]);
    expect(rows).toHaveLength(1);
  });
});
