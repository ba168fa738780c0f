import { Injectable } from '@nestjs/common';
import type { CaptureOptions } from '@app/capture';
import { Database } from '@app/database';
import { AppError, isId } from '@app/kernel';
import { UsageService } from '@app/usage';
import { Acceptance } from './acceptance.js';
import type { Job } from './job.entity.js';
import { JobRepository } from './job.repository.js';
import { isFinal, type CancelReason, type JobSource } from './job-state.js';
import { JobCompletion } from './signals/completion.js';

/** What may be done with jobs from outside: submit, wait for, look up, cancel. */
@Injectable()
export class JobsService {
  constructor(
    private readonly acceptance: Acceptance,
    private readonly database: Database,
    private readonly repository: JobRepository,
    private readonly usage: UsageService,
    private readonly completion: JobCompletion,
  ) {}

  /** @see Acceptance.accept */
  submit(accountId: string, source: JobSource, options: CaptureOptions): Promise<Job> {
    return this.acceptance.accept(accountId, source, options);
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
    const { id: jobId } = await this.find(accountId, id);
    const canceled = await this.database.transaction(async (transaction) => {
      const job = await this.repository.cancel(transaction, jobId, reason);
      if (!job) return null;
      await this.usage.settle(transaction, { accountId, jobId, period: job.usagePeriod }, false);
      await this.repository.signal(transaction, 'finished', jobId);
      await this.repository.signal(transaction, 'canceled', jobId);
      return job;
    });
    const job = canceled ?? (await this.get(jobId));
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
