import { Injectable } from '@nestjs/common';
import type { Transaction } from '@app/database';
import { UsageService, type Reservation } from '@app/usage';
import type { Job } from '../job/job.entity.js';
import { CacheEntryRepository } from '../cache/cache-entry.repository.js';
import { JobAnnouncerService } from '../job/job-announcer.service.js';
import { keysOf } from '../job/result-files.js';
import { sendSignal } from '../signals/signals.js';

/** A job that has ended with the files or the error of another one. */
export type EndedFollower = Reservation & Pick<Job, 'batchId'>;

/** Does what belongs to every end of a job, in the transaction that moves the job to its final state. */
@Injectable()
export class JobFinalizerService {
  constructor(
    private readonly usage: UsageService,
    private readonly cache: CacheEntryRepository,
    private readonly announcer: JobAnnouncerService,
  ) {}

  /** @param job as it is after the move */
  async finalize(transaction: Transaction, job: Job): Promise<void> {
    const { id: jobId, accountId, usagePeriod: period, status } = job;
    // Before the counter of the account, as in acceptance.
    if (job.originId === jobId) await this.cache.keep(transaction, job, keysOf(job));
    await this.usage.settle(transaction, { accountId, jobId, period }, status === 'succeeded');
    await this.announcer.announce(transaction, job);
    await sendSignal(transaction, 'finished', [jobId]);
  }

  /**
   * The same for jobs of one account that followed others, any number of them. They made no visit of their own, so that
   * their units are returned although they may have succeeded.
   */
  async finalizeFollowers(transaction: Transaction, ended: readonly EndedFollower[]): Promise<void> {
    if (ended.length === 0) return;
    await this.usage.release(transaction, ended);
    const ids = ended.map(({ jobId }) => jobId);
    await this.announcer.announceAll(transaction, ids);
    // Callers who watch a row of a batch poll as well, and a signal for each of thousands would wake all processes.
    const single = ended.filter(({ batchId }) => batchId === null);
    await sendSignal(
      transaction,
      'finished',
      single.map(({ jobId }) => jobId),
    );
  }
}
