import { Injectable } from '@nestjs/common';
import { restoreOptions, type CaptureOptions } from '@app/capture';
import { DatabaseService, type Transaction } from '@app/database';
import { SecretBox, type AppError } from '@app/kernel';
import { UsageService } from '@app/usage';
import { backoffMs } from './backoff.js';
import { JobFinalizerService } from './job-finalizer.service.js';
import type { Job } from '../job/job.entity.js';
import type { FinalStatus } from '../job/job-state.js';
import { JobRepository, type Attempt, type Failure, type Success } from '../job/job.repository.js';
import { JobQueueService } from '../queue/job-queue.service.js';
import { slotHoldMs } from './slot-hold.js';

/** A worker that is silent for this long has lost its jobs; it renews its leases four times in that time. */
export const LEASE_MS = 20_000;
export const LEASE_RENEWAL_MS = 5_000;

/** The slot of a lost run is held until the reconciler has surely seen to it: three of its rounds beyond the lease. */
const SLOT_LEASE_MS = LEASE_MS + 15_000;

/** What became of an attempt without a file; `lost`: the job was no longer the attempt's to end. */
export type FailureOutcome = 'failed' | 'again' | 'lost';

interface QueuedAgain {
  readonly job: Job;
  readonly priority: number;
}

/**
 * What a worker does with jobs: claim one, keep it, end it. Each call says whether the job still was the worker's, and
 * may be repeated when nobody knows whether the database took it: the answer is the same.
 */
@Injectable()
export class AttemptsService {
  constructor(
    private readonly database: DatabaseService,
    private readonly repository: JobRepository,
    private readonly usage: UsageService,
    private readonly endings: JobFinalizerService,
    private readonly queue: JobQueueService,
    private readonly secretBox: SecretBox,
  ) {}

  /** Takes the job; null when it is final, or another worker's. */
  async claim(jobId: string, workerId: string): Promise<Job | null> {
    const job = await this.repository.claim(jobId, workerId, LEASE_MS);
    // It is ours whatever becomes of this: the renewals of the lease hold the slot, too.
    if (job) await this.leaseSlots([{ id: jobId, freeMs: slotHoldMs(job.timeoutMs) }]).catch(() => undefined);
    return job;
  }

  /** The options of a claimed job, secrets included. */
  optionsOf({ id, options, secrets }: Job): CaptureOptions {
    return restoreOptions(options, secrets && this.secretBox.open(secrets, id));
  }

  /** The attempts of these jobs that still are the worker's, their leases renewed. */
  async renew(workerId: string, jobIds: readonly string[]): Promise<Attempt[]> {
    const ours = await this.repository.renewLeases(workerId, jobIds, LEASE_MS);
    await this.leaseSlots(ours.map(({ id }) => ({ id, freeMs: 0 })));
    return ours;
  }

  /** The attempts of these jobs that still are the worker's. */
  listRunning(workerId: string, jobIds: readonly string[]): Promise<Attempt[]> {
    return this.repository.listRunning(workerId, jobIds);
  }

  /** Ends the attempt with a file; false when the job was no longer the worker's, and its file is to be dropped. */
  succeed(attempt: Attempt, success: Success): Promise<boolean> {
    return this.end(attempt, 'succeeded', (transaction) =>
      this.repository.succeed(transaction, attempt, success),
    );
  }

  /**
   * Ends the attempt with an error: the job is queued again when the error is transient and attempts are left.
   *
   * @param known what the attempt has learnt of its page, for the record of a job that has failed
   */
  async fail(attempt: Attempt, error: AppError, known?: Failure): Promise<FailureOutcome> {
    const retried = error.retryable
      ? await this.move((transaction) => this.repository.retry(transaction, attempt))
      : null;
    if (retried) return this.queueAgain(retried, backoffMs(retried.job.failures));
    const failed = await this.end(attempt, 'failed', (transaction) =>
      this.repository.fail(transaction, attempt, { error: error.toBody(), known }),
    );
    return failed ? 'failed' : 'lost';
  }

  /** Ends an attempt whose worker fell silent: another takes the job, if it may have one. */
  async lose(attempt: Attempt, error: AppError): Promise<FailureOutcome> {
    const retried = await this.move((transaction) => this.repository.retryLost(transaction, attempt));
    if (retried) return this.queueAgain(retried);
    const failed = await this.end(attempt, 'failed', (transaction) =>
      this.repository.failLost(transaction, attempt, error.toBody()),
    );
    return failed ? 'failed' : 'lost';
  }

  /** Ends the attempt without a verdict: another worker takes the job at once. */
  async handBack(attempt: Attempt): Promise<FailureOutcome> {
    const moved = await this.move((transaction) => this.repository.handBack(transaction, attempt));
    return moved ? this.queueAgain(moved) : 'lost';
  }

  /**
   * A move back into the queue: the job waits with its slot, which nobody leases meanwhile, and behind what its account
   * has in flight, as if it had come just now.
   */
  private move(move: (transaction: Transaction) => Promise<Job | null>): Promise<QueuedAgain | null> {
    return this.database.transaction(async (transaction) => {
      const job = await move(transaction);
      if (!job) return null;
      const holdMs = slotHoldMs(job.timeoutMs);
      await this.usage.keepSlots(transaction, [{ jobId: job.id, holdMs }]);
      return { job, priority: await this.repository.countInFlight(transaction, job.accountId) };
    });
  }

  private async queueAgain({ job, priority }: QueuedAgain, delayMs = 0): Promise<FailureOutcome> {
    await this.queue.add(job, { priority, delayMs });
    return 'again';
  }

  private leaseSlots(jobs: readonly { readonly id: string; readonly freeMs: number }[]): Promise<void> {
    return this.usage.leaseSlots(
      jobs.map(({ id: jobId, freeMs }) => ({ jobId, leaseMs: SLOT_LEASE_MS, freeMs })),
    );
  }

  private async end(
    { id, attempt }: Attempt,
    status: FinalStatus,
    move: (transaction: Transaction) => Promise<Job | null>,
  ): Promise<boolean> {
    const ended = await this.database.transaction(async (transaction) => {
      const job = await move(transaction);
      if (job) await this.endings.finalize(transaction, job);
      return job;
    });
    if (ended) return true;
    // A commit whose answer was lost with the connection: it was this attempt that ended the job.
    const job = await this.repository.findById(id);
    return job?.attempt === attempt && job.status === status;
  }
}
