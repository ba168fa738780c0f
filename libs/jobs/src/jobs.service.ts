import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { AppError, isId } from '@app/kernel';
import { AcceptanceService, type Accepted } from './acceptance/acceptance.service.js';
import type { JobRequest } from './acceptance/new-job.js';
import { RenewalService } from './cache/renewal.service.js';
import { JobCancellationService } from './job-cancellation.service.js';
import type { Job } from './job/job.entity.js';
import { JobRepository } from './job/job.repository.js';
import { isFinal, type CancelReason } from './job/job-state.js';
import { JobWatchService } from './signals/job-watch.service.js';

/** What callers do with jobs: submit, find, wait for and cancel them. */
@Injectable()
export class JobsService {
  private readonly reads = new Map<string, Promise<Job>>();

  constructor(
    private readonly acceptance: AcceptanceService,
    private readonly renewal: RenewalService,
    private readonly repository: JobRepository,
    private readonly watch: JobWatchService,
    private readonly cancellation: JobCancellationService,
  ) {}

  /** A job that a stale capture answers has that capture made again. @see AcceptanceService.accept */
  async submit(request: JobRequest): Promise<Accepted> {
    const accepted = await this.acceptance.accept(request);
    const { job, replayed } = accepted;
    if (job.cacheStatus === 'stale' && job.originId !== null && !replayed) {
      void this.renewal.renew([job.originId]);
    }
    return accepted;
  }

  /** @throws AppError `not_found` for an unknown id, and for the id of another account's job */
  async find(accountId: string, id: string): Promise<Job> {
    const job = isId(id) ? await this.repository.findOfAccount(accountId, id) : null;
    if (!job) throw new AppError('not_found', { detail: 'There is no capture with this id.' });
    return job;
  }

  /** The job of a link that this service has signed, of whichever account. @throws AppError `not_found` */
  async findLinked(id: string): Promise<Job> {
    const job = isId(id) ? await this.repository.findById(id) : null;
    if (!job || job.recordDeleted)
      throw new AppError('not_found', { detail: 'The capture of this link is gone.' });
    return job;
  }

  /** The job with the lists of what its page says about itself, for the record of this one job. */
  async withPageLists(job: Job): Promise<Job> {
    return job.page ? { ...job, pageLists: await this.repository.findPageLists(job.id) } : job;
  }

  /**
   * Returns the job once it is final, or as it is after `timeoutMs` or when `signal` aborts.
   *
   * @param known the job as it was a moment ago, so that it is not read at once
   */
  waitForEnd(
    id: string,
    timeoutMs: number,
    { signal, known }: { readonly signal?: AbortSignal; readonly known?: Job | undefined } = {},
  ): Promise<Job> {
    return this.watch.readAtEnd(id, {
      read: () => this.get(id),
      isFinal: ({ status }) => isFinal(status),
      timeoutMs,
      signal,
      known,
    });
  }

  /**
   * Cancels a job that is queued or running: its record says so at once, and the worker that runs it is notified.
   * Canceling a canceled job returns the same record.
   *
   * @throws AppError `not_found`, `job_finished`
   */
  async cancel(accountId: string, id: string, reason: CancelReason): Promise<Job> {
    return this.end(await this.find(accountId, id), reason);
  }

  /**
   * Cancels a job whose caller got no answer, and releases its Idempotency-Key, so that a repetition of the request is
   * not answered with a capture that was never made.
   *
   * @throws AppError `job_finished`
   */
  cancelUnanswered(job: Job, reason: CancelReason, idempotencyKey?: string): Promise<Job> {
    return this.end(job, reason, idempotencyKey);
  }

  /** Releases an Idempotency-Key that stands for this job, so that the same request can be submitted again. */
  releaseKey(job: Job, key: string): Promise<void> {
    return this.cancellation.releaseKey(job, key);
  }

  private async end(job: Job, reason: CancelReason, releasedKey?: string): Promise<Job> {
    const ended = (await this.cancellation.cancel(job, reason, releasedKey)) ?? (await this.get(job.id));
    if (ended.status !== 'canceled') throw new AppError('job_finished');
    return ended;
  }

  /** Reads of a job that begin in the same turn of the event loop are one query: thousands may wait for one end. */
  private get(id: string): Promise<Job> {
    const read = this.reads.get(id) ?? nextTurn().then(() => this.read(id));
    this.reads.set(id, read);
    return read;
  }

  private async read(id: string): Promise<Job> {
    this.reads.delete(id);
    const job = await this.repository.findById(id);
    if (!job) throw new AppError('not_found');
    return job;
  }
}
