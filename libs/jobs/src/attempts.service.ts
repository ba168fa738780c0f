import { Injectable } from '@nestjs/common';
import { restoreOptions, type CaptureOptions } from '@app/capture';
import { Database, type Transaction } from '@app/database';
import type { AppError } from '@app/kernel';
import { UsageService } from '@app/usage';
import type { Job } from './job.entity.js';
import { JobRepository, type Attempt, type Success } from './job.repository.js';
import { SecretBox } from './secret-box.js';

/** A worker that is silent for this long has lost its jobs; it renews its leases four times in that time. */
export const LEASE_MS = 20_000;
export const LEASE_RENEWAL_MS = 5_000;

/** How often a job is tried when attempts are lost or end in a transient fault. */
export const MAX_ATTEMPTS = 3;

/** What became of a failed attempt. */
export type FailureOutcome = 'failed' | 'again' | 'lost';

/** What a worker does with jobs: claim one, keep it, end it. Each call says whether the job still was the worker's. */
@Injectable()
export class Attempts {
  constructor(
    private readonly database: Database,
    private readonly repository: JobRepository,
    private readonly usage: UsageService,
    private readonly secretBox: SecretBox,
  ) {}

  /** Takes the job; null when it is final, or another worker's. */
  claim(jobId: string, workerId: string): Promise<Job | null> {
    return this.repository.claim(jobId, workerId, LEASE_MS);
  }

  /** The options of a claimed job, secrets included. */
  optionsOf({ id, options, secrets }: Job): CaptureOptions {
    return restoreOptions(options, secrets && this.secretBox.open(secrets, id));
  }

  /** Those of these jobs that still are the worker's, their leases renewed. */
  renew(workerId: string, jobIds: readonly string[]): Promise<string[]> {
    return this.repository.renewLeases(workerId, jobIds, LEASE_MS);
  }

  /** Ends the attempt with a file; false when the job was no longer the worker's, and its file is to be dropped. */
  succeed(attempt: Attempt, success: Success): Promise<boolean> {
    return this.end(true, (transaction) => this.repository.succeed(transaction, attempt, success));
  }

  /** Ends the attempt with an error: the job is queued again when the error is transient and attempts are left. */
  async fail(attempt: Attempt, error: AppError): Promise<FailureOutcome> {
    if (error.retryable && attempt.attempt < MAX_ATTEMPTS) return this.handBack(attempt);
    const ended = await this.end(false, (transaction) =>
      this.repository.fail(transaction, attempt, error.toBody()),
    );
    return ended ? 'failed' : 'lost';
  }

  /** Ends the attempt without a verdict: another worker takes the job. */
  async handBack(attempt: Attempt): Promise<FailureOutcome> {
    return (await this.repository.handBack(attempt)) ? 'again' : 'lost';
  }

  private end(succeeded: boolean, move: (transaction: Transaction) => Promise<Job | null>): Promise<boolean> {
    return this.database.transaction(async (transaction) => {
      const job = await move(transaction);
      if (!job) return false;
      const { id: jobId, accountId, usagePeriod: period } = job;
      await this.usage.settle(transaction, { accountId, jobId, period }, succeeded);
      await this.repository.signal(transaction, 'finished', jobId);
      return true;
    });
  }
}
