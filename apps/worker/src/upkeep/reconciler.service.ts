import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { AppError } from '@app/kernel';
import { Attempts, JobQueue, JobRepository } from '@app/jobs';
import { Rounds } from './rounds.js';

const PERIOD_MS = 5_000;

/** A job that waits for longer may have lost its queue entry; saying it again is harmless. */
const WAITING_TOO_LONG_MS = 5_000;

/** Rows that one round looks at. */
const BATCH = 500;

/**
 * Mends what crashes leave behind: runs whose worker died, and queued jobs that the queue does not know. Every worker
 * runs one; each step is a conditional update or a repeated hint, so that two at once do no harm.
 */
@Injectable()
export class Reconciler implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(Reconciler.name);
  private readonly rounds = new Rounds(Reconciler.name, PERIOD_MS, () => this.reconcile());

  constructor(
    private readonly jobs: JobRepository,
    private readonly attempts: Attempts,
    private readonly queue: JobQueue,
  ) {}

  onModuleInit(): void {
    this.rounds.start();
  }

  onApplicationShutdown(): Promise<void> {
    return this.rounds.stop();
  }

  private async reconcile(): Promise<void> {
    await this.endAbandonedRuns();
    await this.repeatHints();
  }

  private async endAbandonedRuns(): Promise<void> {
    for (const job of await this.jobs.listAbandoned(BATCH)) {
      const outcome = await this.attempts.fail(job, new AppError('worker_lost'));
      this.logger.warn(
        { job_id: job.id, attempt: job.attempt, outcome },
        'the worker of this capture was lost',
      );
    }
  }

  private async repeatHints(): Promise<void> {
    for (const { id } of await this.jobs.listWaiting(WAITING_TOO_LONG_MS, BATCH)) {
      await this.queue.add('interactive', id);
    }
  }
}
