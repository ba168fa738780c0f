import { Injectable } from '@nestjs/common';
import { isFinal, JobsService, type CancelReason, type Job, type JobRequest } from '@app/jobs';
import { AppError } from '@app/kernel';
import { DrainService } from '../http/drain.service.js';
import { CaptureMetrics } from '../metrics/capture.metrics.js';

/**
 * Time in which a worker must take the capture. Shorter than the 60 s after which load balancers cut an idle connection,
 * longer than a burst takes to pass.
 */
const START_TIMEOUT_MS = 30_000;

/** Added to the capture's own timeout: a dead worker is noticed after 20 s, and another one takes over. */
const END_SLACK_MS = 45_000;

/** How long a caller waits. */
export interface WaitOptions {
  /** The job is returned as it is after this time; without it the caller waits for its end. */
  readonly waitMs?: number;
  /** Aborts when the caller disconnects. */
  readonly disconnect: AbortSignal;
}

/** A capture, and whether it is that of an earlier request with the same Idempotency-Key. */
export interface SyncOutcome {
  readonly job: Job;
  readonly replayed: boolean;
}

/** Captures whose callers wait for them. */
@Injectable()
export class SyncCapturesService {
  constructor(
    private readonly jobs: JobsService,
    private readonly metrics: CaptureMetrics,
    private readonly drain: DrainService,
  ) {}

  /**
   * Submits a capture and waits for it. It is canceled when the caller disconnects. A repeated request returns the
   * capture of the first request.
   *
   * @throws AppError of the acceptance, `overloaded` when no worker took the capture in time, and `idempotency_in_flight`
   * when the capture of the first request is still in progress
   */
  run(request: Omit<JobRequest, 'source'>, wait: WaitOptions): Promise<SyncOutcome> {
    return this.drain.finish(this.metrics.waiting(() => this.capture(request, wait)));
  }

  private async capture(request: Omit<JobRequest, 'source'>, wait: WaitOptions): Promise<SyncOutcome> {
    const { job: submitted, replayed } = await this.metrics.accepting(() =>
      this.jobs.submit({ ...request, source: 'sync' }),
    );
    if (replayed && !isFinal(submitted.status)) throw new AppError('idempotency_in_flight');
    if (replayed) return { job: submitted, replayed };
    const cancel: Cancel = (job, reason) => this.cancel(job, reason, request.idempotency?.key);
    const job = await this.waitFor(submitted, wait, cancel);
    const isAbandoned = wait.disconnect.aborted && !isFinal(job.status);
    return { job: isAbandoned ? await cancel(job, 'client_disconnected') : job, replayed };
  }

  private async waitFor(submitted: Job, { waitMs, disconnect }: WaitOptions, cancel: Cancel): Promise<Job> {
    const { id, timeoutMs } = submitted;
    if (waitMs !== undefined) return this.jobs.waitForEnd(id, waitMs, disconnect);
    const started = await this.jobs.waitForEnd(id, START_TIMEOUT_MS, disconnect);
    if (disconnect.aborted || isFinal(started.status)) return started;
    // A job that is queued again had a worker, which died; it gets as much time as one that runs.
    if (started.status === 'queued' && started.attempt === 0) return giveUp(started, cancel);
    const ended = await this.jobs.waitForEnd(id, timeoutMs + END_SLACK_MS, disconnect);
    return disconnect.aborted || isFinal(ended.status) ? ended : giveUp(ended, cancel);
  }

  /** Returns the job as it ended: it may have finished just before it could be canceled. */
  private async cancel(job: Job, reason: CancelReason, idempotencyKey?: string): Promise<Job> {
    try {
      const canceled = await this.jobs.withdraw(job, reason, idempotencyKey);
      // Another request may have canceled it first.
      if (canceled.cancelReason === reason) this.metrics.abandonedFor(reason);
      return canceled;
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
