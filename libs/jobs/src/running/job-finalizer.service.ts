import { Injectable } from '@nestjs/common';
import type { Transaction } from '@app/database';
import { UsageService } from '@app/usage';
import type { Job } from '../job/job.entity.js';
import { KeptCaptureRepository } from '../cache/kept-capture.repository.js';
import { JobAnnouncerService } from '../job/job-announcer.service.js';
import { keysOf } from '../job/result-files.js';
import { sendSignal } from '../signals/signals.js';

/**
 * Does what belongs to every end of a job, in the transaction that moves the job to its final state. The cache does so for the
 * jobs that it answers: libs/jobs/src/cache.
 */
@Injectable()
export class JobFinalizerService {
  constructor(
    private readonly usage: UsageService,
    private readonly cache: KeptCaptureRepository,
    private readonly announcer: JobAnnouncerService,
  ) {}

  /** @param job as it is after the move */
  async finalize(transaction: Transaction, job: Job): Promise<void> {
    const { id: jobId, accountId, usagePeriod: period, status } = job;
    // Before the counter of the account, as in acceptance.
    if (job.originId === jobId) await this.cache.keep(transaction, job, keysOf(job));
    await this.usage.endReservation(transaction, { accountId, jobId, period }, status === 'succeeded');
    await this.announcer.announce(transaction, job);
    await sendSignal(transaction, 'finished', [jobId]);
  }
}
