import { describe, expect, it } from '@jest/globals';
import { HttpAdapterHost } from '@nestjs/core';
import { parseOptions } from '@app/capture';
import { Env } from '@app/config';
import {
  Job,
  type Accepted,
  type CachedAnswersService,
  type CancelReason,
  type JobsService,
  type JobStatus,
  type RevalidationService,
} from '@app/jobs';
import { AppError } from '@app/kernel';
import { MetricsService } from '@app/metrics';
import { DrainService } from '../http/drain.service.js';
import { CaptureMetrics } from '../metrics/capture.metrics.js';
import type { KnownCapturesService } from './known-captures.service.js';
import { SyncCapturesService } from './sync-captures.service.js';

const OPTIONS = parseOptions({ url: 'https://example.com', timeout_ms: 5_000 });

/** Jobs with scripted states: each wait ends with the next one. */
class ScriptedJobs {
  readonly waits: number[] = [];
  readonly canceled: CancelReason[] = [];
  readonly released: (string | undefined)[] = [];
  private status: JobStatus = 'queued';

  constructor(
    private readonly states: JobStatus[],
    private readonly endsBeforeCancel?: JobStatus,
    private readonly attempt = 0,
    private readonly replayed = false,
  ) {}

  submit(): Promise<Pick<Accepted, 'job' | 'replayed' | 'use'>> {
    return Promise.resolve({ job: this.job(), replayed: this.replayed, use: null });
  }

  /** Every worker of the spec knows all options, so that no hint is repeated. */
  repeatHints<T>(_job: Job, wait: Promise<T>): Promise<T> {
    return wait;
  }

  waitForEnd(_id: string, timeoutMs: number): Promise<Job> {
    this.waits.push(timeoutMs);
    this.status = this.states.shift() ?? this.status;
    return Promise.resolve(this.job());
  }

  withdraw(_job: Job, reason: CancelReason, idempotencyKey?: string): Promise<Job> {
    this.canceled.push(reason);
    this.released.push(idempotencyKey);
    this.status = this.endsBeforeCancel ?? 'canceled';
    return this.endsBeforeCancel ? Promise.reject(new AppError('job_finished')) : this.find();
  }

  find(): Promise<Job> {
    return Promise.resolve(this.job());
  }

  private job(): Job {
    const { status, attempt } = this;
    return Object.assign(new Job(), { id: 'id', accountId: 'a', status, attempt, timeoutMs: 5_000 });
  }
}

const SUBMISSION = {
  accountId: 'a',
  options: OPTIONS,
  idempotency: { key: 'k', fingerprint: Buffer.alloc(32) },
};

const outcome = (jobs: ScriptedJobs, waitMs?: number, disconnect = new AbortController().signal) =>
  new SyncCapturesService(
    jobs as unknown as JobsService,
    new CaptureMetrics(new MetricsService(), { onGiven: () => undefined } as unknown as CachedAnswersService),
    new DrainService(new HttpAdapterHost(), new Env()),
    { demandOf: () => Promise.resolve(null), remember: () => undefined } as unknown as KnownCapturesService,
    {} as RevalidationService,
  ).run(SUBMISSION, { waitMs, disconnect });
const run = async (...args: Parameters<typeof outcome>) => (await outcome(...args)).job;

describe(SyncCapturesService.name, () => {
  it('waits for a worker, and then for the timeout of the capture plus some slack', async () => {
    const jobs = new ScriptedJobs(['running', 'succeeded']);
    expect((await run(jobs)).status).toBe('succeeded');
    expect(jobs.waits).toEqual([30_000, 50_000]);
  });

  it('cancels the capture when no worker starts it', async () => {
    const jobs = new ScriptedJobs(['queued']);
    await expect(run(jobs)).rejects.toMatchObject({ code: 'overloaded', status: 503 });
    expect(jobs.canceled).toEqual(['overloaded']);
  });

  it('keeps waiting for a capture that is queued again after its worker died', async () => {
    const jobs = new ScriptedJobs(['queued', 'succeeded'], undefined, 1);
    expect((await run(jobs)).status).toBe('succeeded');
    expect(jobs.waits).toEqual([30_000, 50_000]);
  });

  it('cancels a capture that workers keep losing', async () => {
    const jobs = new ScriptedJobs(['running', 'queued']);
    await expect(run(jobs)).rejects.toMatchObject({ code: 'overloaded' });
  });

  it('returns a capture that finished before it could be canceled', async () => {
    expect((await run(new ScriptedJobs(['queued'], 'succeeded'))).status).toBe('succeeded');
  });

  it('returns the job as it is after waitMs', async () => {
    const jobs = new ScriptedJobs(['running']);
    expect((await run(jobs, 7_000)).status).toBe('running');
    expect([jobs.waits, jobs.canceled]).toEqual([[7_000], []]);
  });

  it('cancels the capture when the caller disconnects, also under Prefer', async () => {
    for (const waitMs of [undefined, 7_000]) {
      const jobs = new ScriptedJobs(['running']);
      expect((await run(jobs, waitMs, AbortSignal.abort())).status).toBe('canceled');
      expect(jobs.canceled).toEqual(['client_disconnected']);
    }
  });

  it('releases the Idempotency-Key of a capture that it cancels, so that the request can be repeated', async () => {
    const overloaded = new ScriptedJobs(['queued']);
    await expect(run(overloaded)).rejects.toMatchObject({ code: 'overloaded' });
    const abandoned = new ScriptedJobs(['running']);
    await run(abandoned, undefined, AbortSignal.abort());
    expect([overloaded.released, abandoned.released]).toEqual([['k'], ['k']]);
  });

  it('returns the capture of the request that is repeated', async () => {
    const jobs = new ScriptedJobs([], undefined, 1, true);
    await expect(outcome(jobs)).rejects.toMatchObject({ code: 'idempotency_in_flight' });
    await jobs.withdraw(new Job(), 'client_request');
    expect(await outcome(jobs)).toMatchObject({ job: { status: 'canceled' }, replayed: true });
    expect(jobs.waits).toEqual([]);
  });
});
