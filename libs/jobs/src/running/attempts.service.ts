import { Injectable } from '@nestjs/common';
import { KNOWN_FEATURES, restoreOptions, type CaptureOptions } from '@app/capture';
import { DatabaseService, type Transaction } from '@app/database';
import { SecretBox, type AppError } from '@app/kernel';
import type { KeptState } from '@app/sessions';
import { UsageService } from '@app/usage';
import type { Job } from '../job/job.entity.js';
import type { FinalStatus } from '../job/job-state.js';
import { JobRepository, type Attempt, type Failure, type Success } from '../job/job.repository.js';
import { slotHoldMs } from '../job/slot-hold.js';
import { JobQueue } from '../queue/job-queue.js';
import { backoffMs } from './backoff.js';
import { JobFinalizerService } from './job-finalizer.service.js';

/** A worker that does not renew its leases for this long has lost its jobs; it renews them four times as often. */
export const LEASE_MS = 20_000;
export const LEASE_RENEWAL_MS = 5_000;

/** The slot of a lost attempt is held beyond the lease for three rounds of the reconciler, which then retries or ends it. */
const SLOT_LEASE_MS = LEASE_MS + 15_000;

/** The result of an attempt without a file; `lost`: another attempt had taken over the job, or it was final. */
export type FailureOutcome = 'failed' | 'again' | 'lost';

/** The job needs features that this worker does not know: it was accepted for a worker of a later version. */
export class UnknownFeaturesError extends Error {
  override readonly name = 'UnknownFeaturesError';

  constructor(features: readonly string[]) {
    super(`This worker does not know ${features.join(', ')}.`);
  }
}

interface AttemptEnd {
  readonly move: (transaction: Transaction) => Promise<Job | null>;
  readonly state?: KeptState | undefined;
}

interface QueuedJob {
  readonly job: Job;
  readonly priority: number;
}

/**
 * What a worker does with jobs: it claims them, keeps their leases and ends their attempts. Each call says whether the job
 * was still the worker's. A call whose answer was lost may be repeated, and returns the same result.
 */
@Injectable()
export class AttemptsService {
  constructor(
    private readonly database: DatabaseService,
    private readonly repository: JobRepository,
    private readonly usage: UsageService,
    private readonly finalizer: JobFinalizerService,
    private readonly queue: JobQueue,
    private readonly secretBox: SecretBox,
  ) {}

  /**
   * Takes the job; returns null when it is final, or when another worker runs it.
   *
   * @throws UnknownFeaturesError when the job is left to a worker that knows more
   */
  async claim(jobId: string, workerId: string): Promise<Job | null> {
    const job = await this.repository.claim(jobId, workerId, LEASE_MS);
    // A failure is harmless: the renewals of the lease extend the slot as well.
    if (job) await this.leaseSlots([{ id: jobId, freeMs: slotHoldMs(job.timeoutMs) }]).catch(() => undefined);
    else await this.assertKnown(jobId);
    return job;
  }

  private async assertKnown(jobId: string): Promise<void> {
    const [job] = await this.repository.listProgress([jobId]);
    const isOpen = job?.status === 'queued' && job.dispatchedAt !== null;
    const unknown = isOpen ? (job.needs ?? []).filter((need) => !KNOWN_FEATURES.includes(need)) : [];
    if (unknown.length > 0) throw new UnknownFeaturesError(unknown);
  }

  /** Returns the options of a claimed job, including its secrets. */
  optionsOf({ id, options, secrets }: Job): CaptureOptions {
    return restoreOptions(options, secrets && this.secretBox.open(secrets, id));
  }

  /** Renews the leases of the jobs among these that the worker still runs; returns their attempts. */
  async renew(workerId: string, jobIds: readonly string[]): Promise<Attempt[]> {
    const ours = await this.repository.renewLeases(workerId, jobIds, LEASE_MS);
    await this.leaseSlots(ours.map(({ id }) => ({ id, freeMs: 0 })));
    return ours;
  }

  /** Returns the attempts of the jobs among these that the worker still runs. */
  listRunning(workerId: string, jobIds: readonly string[]): Promise<Attempt[]> {
    return this.repository.listRunning(workerId, jobIds);
  }

  /** Ends the attempt with a file; returns false when the job was no longer the worker's, which then drops the file. */
  succeed(attempt: Attempt, success: Success): Promise<boolean> {
    return this.end(attempt, 'succeeded', {
      move: (transaction) => this.repository.succeed(transaction, attempt, success),
      state: success.state,
    });
  }

  /**
   * Ends the attempt with an error. The job is queued again when the error is transient and attempts are left.
   *
   * @param known what the attempt learnt about its page, for the record of a job that has failed
   */
  async fail(attempt: Attempt, error: AppError, known?: Failure): Promise<FailureOutcome> {
    const retried = error.retryable
      ? await this.requeue((transaction) => this.repository.retry(transaction, attempt))
      : null;
    if (retried) return this.enqueue(retried, backoffMs(retried.job.failures));
    const failed = await this.end(attempt, 'failed', {
      move: (transaction) => this.repository.fail(transaction, attempt, { error: error.toBody(), known }),
    });
    return failed ? 'failed' : 'lost';
  }

  /** Ends an attempt whose lease has expired; the job is queued again if attempts are left. */
  async endLost(attempt: Attempt, error: AppError): Promise<FailureOutcome> {
    const retried = await this.requeue((transaction) => this.repository.retryLost(transaction, attempt));
    if (retried) return this.enqueue(retried);
    const failed = await this.end(attempt, 'failed', {
      move: (transaction) => this.repository.failLost(transaction, attempt, error.toBody()),
    });
    return failed ? 'failed' : 'lost';
  }

  /** Ends the attempt without counting a failure; another worker can take the job. */
  async handBack(attempt: Attempt): Promise<FailureOutcome> {
    const queued = await this.requeue((transaction) => this.repository.handBack(transaction, attempt, 0));
    return queued ? this.enqueue(queued) : 'lost';
  }

  /** As `handBack`, for a capture that waits for its session: a worker looks again after `delayMs`. */
  async postpone(attempt: Attempt, delayMs: number): Promise<FailureOutcome> {
    const queued = await this.requeue((transaction) => this.repository.handBack(transaction, attempt, 1));
    return queued ? this.enqueue(queued, delayMs) : 'lost';
  }

  /**
   * Moves the job back to `queued`. It keeps its slot, and gets the priority of a job that is dispatched now, behind the
   * account's jobs in flight.
   */
  private requeue(move: (transaction: Transaction) => Promise<Job | null>): Promise<QueuedJob | null> {
    return this.database.transaction(async (transaction) => {
      const job = await move(transaction);
      if (!job) return null;
      const holdMs = slotHoldMs(job.timeoutMs);
      await this.usage.keepSlots(transaction, [{ jobId: job.id, holdMs }]);
      return { job, priority: await this.repository.countInFlight(transaction, job.accountId) };
    });
  }

  private async enqueue({ job, priority }: QueuedJob, delayMs = 0): Promise<FailureOutcome> {
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
    { move, state }: AttemptEnd,
  ): Promise<boolean> {
    const ended = await this.database.transaction(async (transaction) => {
      const job = await move(transaction);
      if (job) await this.finalizer.finalize(transaction, job, state);
      return job;
    });
    if (ended) return true;
    // The answer to an earlier commit may have been lost with its connection: then this attempt did end the job.
    const job = await this.repository.findById(id);
    return job?.attempt === attempt && job.status === status;
  }
}
