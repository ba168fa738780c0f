import { Injectable } from '@nestjs/common';
import type { CaptureOptions } from '@app/capture';
import { isFinal, JobsService, type CancelReason, type Job } from '@app/jobs';
import { AppError } from '@app/kernel';

/**
 * A caller who waits is told after this that no worker is free. Shorter than the 60 s after which load balancers cut a
 * silent connection, longer than a burst takes to pass.
 */
const START_WITHIN_MS = 30_000;

/** Beyond the capture's own timeout: a worker that dies is noticed after 20 s, and another takes over. */
const END_SLACK_MS = 45_000;

/** How long a caller waits. */
export interface Patience {
  /** After this the job is handed back as it is; without it the caller waits to the end. */
  readonly waitMs?: number;
  /** Aborts when the caller hangs up. */
  readonly hangUp: AbortSignal;
}

/** Captures that somebody waits for. */
@Injectable()
export class SyncCaptures {
  private readonly running = new Set<Promise<Job>>();

  constructor(private readonly jobs: JobsService) {}

  /**
   * Submits a capture and waits for it. When the caller hangs up, it is canceled.
   *
   * @throws AppError of the submission, and `overloaded` when no worker took it in time.
   */
  async run(accountId: string, options: CaptureOptions, patience: Patience): Promise<Job> {
    const run = this.capture(accountId, options, patience);
    this.running.add(run);
    return run.finally(() => this.running.delete(run));
  }

  /** Resolves when nobody waits any more. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.running);
  }

  private async capture(accountId: string, options: CaptureOptions, patience: Patience): Promise<Job> {
    const submitted = await this.jobs.submit(accountId, 'sync', options);
    const job = await this.wait(submitted, patience);
    if (patience.hangUp.aborted && !isFinal(job.status)) return this.cancel(job, 'client_disconnected');
    return job;
  }

  private async wait(submitted: Job, { waitMs, hangUp }: Patience): Promise<Job> {
    const { id, timeoutMs } = submitted;
    if (waitMs !== undefined) return this.jobs.waitForEnd(id, waitMs, hangUp);
    const begun = await this.jobs.waitForEnd(id, START_WITHIN_MS, hangUp);
    if (hangUp.aborted || isFinal(begun.status)) return begun;
    // One that waits for another attempt has had a worker, which died; it is waited for like one that runs.
    if (begun.status === 'queued' && begun.attempt === 0) return this.giveUp(begun);
    const ended = await this.jobs.waitForEnd(id, timeoutMs + END_SLACK_MS, hangUp);
    return hangUp.aborted || isFinal(ended.status) ? ended : this.giveUp(ended);
  }

  private async giveUp(job: Job): Promise<Job> {
    const ended = await this.cancel(job, 'overloaded');
    if (ended.status !== 'canceled') return ended;
    throw new AppError('overloaded', { detail: 'No worker was free in time; the capture was canceled.' });
  }

  /** The job as it ended: it may have finished just before it could be canceled. */
  private async cancel({ accountId, id }: Job, reason: CancelReason): Promise<Job> {
    try {
      return await this.jobs.cancel(accountId, id, reason);
    } catch (error) {
      if (error instanceof AppError && error.code === 'job_finished') return this.jobs.find(accountId, id);
      throw error;
    }
  }
}
