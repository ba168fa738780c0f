import { Injectable } from '@nestjs/common';
import { DatabaseService } from '@app/database';
import { AppError, isId } from '@app/kernel';
import { AcceptanceService, type Accepted } from './acceptance/acceptance.service.js';
import type { Submission } from './acceptance/submission.js';
import { JobFinalizerService } from './running/job-finalizer.service.js';
import type { Job } from './job/job.entity.js';
import { JobRepository } from './job/job.repository.js';
import { IdempotencyKeyRepository } from './acceptance/idempotency-key.repository.js';
import { isFinal, type CancelReason } from './job/job-state.js';
import { JobCompletionService } from './signals/job-completion.service.js';

/** What may be done with jobs from outside: submit, wait for, look up, cancel. */
@Injectable()
export class JobsService {
  constructor(
    private readonly acceptance: AcceptanceService,
    private readonly database: DatabaseService,
    private readonly repository: JobRepository,
    private readonly endings: JobFinalizerService,
    private readonly completion: JobCompletionService,
    private readonly keys: IdempotencyKeyRepository,
  ) {}

  /** @see Acceptance.accept */
  submit(submission: Submission): Promise<Accepted> {
    return this.acceptance.accept(submission);
  }

  /** An unknown id and another account's id are the same: `not_found`. */
  async find(accountId: string, id: string): Promise<Job> {
    const job = isId(id) ? await this.repository.findOfAccount(accountId, id) : null;
    if (!job) throw new AppError('not_found', { detail: 'There is no capture with this id.' });
    return job;
  }

  /** The job once it is final, or as it is after `timeoutMs` or when `signal` aborts. */
  async waitForEnd(id: string, timeoutMs: number, signal?: AbortSignal): Promise<Job> {
    const ended = new AbortController();
    // Listens before it reads: a job that finishes in between wakes it.
    const woken = this.completion.wait(id, timeoutMs, anyOf(ended.signal, signal));
    const job = await this.get(id);
    if (isFinal(job.status)) {
      ended.abort();
      return job;
    }
    await woken;
    return this.get(id);
  }

  /**
   * Cancels what is queued or running: the record says so at once, and the worker that runs it is told. Again: the
   * same record.
   *
   * @throws AppError `not_found`, `job_finished`
   */
  async cancel(accountId: string, id: string, reason: CancelReason): Promise<Job> {
    return this.end(await this.find(accountId, id), reason);
  }

  /**
   * Cancels a job whose caller got no answer. The Idempotency-Key that it was submitted under is free again with that,
   * so that the same request is not answered with a capture that nobody made.
   *
   * @throws AppError `job_finished`
   */
  withdraw(job: Job, reason: CancelReason, idempotencyKey?: string): Promise<Job> {
    return this.end(job, reason, idempotencyKey);
  }

  private async end({ id, accountId }: Job, reason: CancelReason, releasedKey?: string): Promise<Job> {
    const canceled = await this.database.transaction(async (transaction) => {
      const job = await this.repository.cancel(transaction, id, reason);
      if (!job) return null;
      // Before the counter of the account is locked: whoever accepts takes keys first, too.
      if (releasedKey !== undefined) {
        await this.keys.release(transaction, [{ accountId, key: releasedKey, subjectId: id }]);
      }
      await this.endings.finalize(transaction, job);
      await this.repository.signal(transaction, 'canceled', id);
      return job;
    });
    const job = canceled ?? (await this.get(id));
    if (job.status !== 'canceled') throw new AppError('job_finished');
    return job;
  }

  private async get(id: string): Promise<Job> {
    const job = await this.repository.findById(id);
    if (!job) throw new AppError('not_found');
    return job;
  }
}

function anyOf(own: AbortSignal, other: AbortSignal | undefined): AbortSignal {
  return other ? AbortSignal.any([own, other]) : own;
}
