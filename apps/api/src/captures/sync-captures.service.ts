import { Injectable } from '@nestjs/common';
import { isFinal, JobsService, type CancelReason, type Job, type JobRequest } from '@app/jobs';
import { AppError } from '@app/kernel';
import { CaptureMetrics } from '../metrics/capture.metrics.js';

/**
 * A caller who waits is told after this that no worker is free. Shorter than the 60 s after which load balancers cut a
 * silent connection, longer than a burst takes to pass.
 */
const START_WITHIN_MS = 30_000;

/** Beyond the capture's own timeout: a worker that dies is noticed after 20 s, and another takes over. */
const END_SLACK_MS = 45_000;

/** How long a caller waits. */
export interface WaitOptions {
  /** After this the job is handed back as it is; without it the caller waits to the end. */
  readonly waitMs?: number;
  /** Aborts when the caller hangs up. */
  readonly hangUp: AbortSignal;
}

/** What became of a capture, and whether it is that of an earlier request under the same Idempotency-Key. */
export interface Outcome {
  readonly job: Job;
  readonly replayed: boolean;
}

/** Captures that somebody waits for. */
@Injectable()
export class SyncCapturesService {
  private readonly running = new Set<Promise<Outcome>>();

  constructor(
    private readonly jobs: JobsService,
    private readonly metrics: CaptureMetrics,
  ) {}

  /**
   * Submits a capture and waits for it. When the caller hangs up, it is canceled. A request that repeats another one is
   * answered with what became of that.
   *
   * @throws AppError of the submission, `overloaded` when no worker took it in time, and `idempotency_in_flight` when
   * the capture that the request repeats is still under way.
   */
  async run(submission: Omit<JobRequest, 'source'>, patience: WaitOptions): Promise<Outcome> {
    const run = this.metrics.waiting(() => this.capture(submission, patience));
    this.running.add(run);
    return run.finally(() => this.running.delete(run));
  }

  /** Resolves when nobody waits any more. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.running);
  }

  private async capture(submission: Omit<JobRequest, 'source'>, patience: WaitOptions): Promise<Outcome> {
    const { job: submitted, replayed } = await this.metrics.accepting(() =>
      this.jobs.submit({ ...submission, source: 'sync' }),
    );
    if (replayed && !isFinal(submitted.status)) throw new AppError('idempotency_in_flight');
    if (replayed) return { job: submitted, replayed };
    const cancel: Cancel = (job, reason) => this.cancel(job, reason, submission.idempotency?.key);
    const job = await this.wait(submitted, patience, cancel);
    const isLeft = patience.hangUp.aborted && !isFinal(job.status);
    return { job: isLeft ? await cancel(job, 'client_disconnected') : job, replayed };
  }

  private async wait(submitted: Job, { waitMs, hangUp }: WaitOptions, cancel: Cancel): Promise<Job> {
    const { id, timeoutMs } = submitted;
    if (waitMs !== undefined) return this.jobs.waitForEnd(id, waitMs, hangUp);
    const begun = await this.jobs.waitForEnd(id, START_WITHIN_MS, hangUp);
    if (hangUp.aborted || isFinal(begun.status)) return begun;
    // One that waits for another attempt has had a worker, which died; it is waited for like one that runs.
    if (begun.status === 'queued' && begun.attempt === 0) return giveUp(begun, cancel);
    const ended = await this.jobs.waitForEnd(id, timeoutMs + END_SLACK_MS, hangUp);
    return hangUp.aborted || isFinal(ended.status) ? ended : giveUp(ended, cancel);
  }

  /** The job as it ended: it may have finished just before it could be canceled. */
  private async cancel(job: Job, reason: CancelReason, idempotencyKey?: string): Promise<Job> {
    try {
      const withdrawn = await this.jobs.withdraw(job, reason, idempotencyKey);
      // Unless somebody else had canceled it already.
      if (withdrawn.cancelReason === reason) this.metrics.abandonedFor(reason);
      return withdrawn;
    } catch (error) {
      if (error instanceof AppError && error.code === 'job_finished') {
        return this.jobs.find(job.accountId, job.id);
      }
      throw error;
    }
  }
}

type Cancel = (job: Job, reason: CancelReason) => Promise<Job>;

async function giveUp(job: Job, cancel: Cancel): Promise<Job> {
  const ended = await cancel(job, 'overloaded');
  if (ended.status !== 'canceled') return ended;
  throw new AppError('overloaded', { detail: 'No worker was free in time; the capture was canceled.' });
}
