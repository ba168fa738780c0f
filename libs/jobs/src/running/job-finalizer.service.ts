import { Injectable } from '@nestjs/common';
import type { Transaction } from '@app/database';
import { SessionLifeRepository, type KeptState, type LogInEnd } from '@app/sessions';
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
    private readonly sessions: SessionLifeRepository,
  ) {}

  /**
   * @param job as it is after the move
   * @param state what the job has made of the state of its session
   */
  async finalize(transaction: Transaction, job: Job, state?: KeptState): Promise<void> {
    const { id: jobId, accountId, usagePeriod: period, status } = job;
    // Before the counter of the account, as in acceptance.
    await this.endSession(transaction, job, state);
    if (job.originId === jobId) await this.cache.keep(transaction, job, keysOf(job));
    await this.usage.endReservation(transaction, { accountId, jobId, period }, status === 'succeeded');
    await this.announcer.announce(transaction, job);
    await sendSignal(transaction, 'finished', [jobId]);
  }

  /** Ends the log-in that the job may have been. A capture that leaves its session as it was costs no statement. */
  private async endSession(transaction: Transaction, job: Job, state: KeptState | undefined): Promise<void> {
    const { session: id } = job.options;
    if (typeof id !== 'string') return;
    if (job.status === 'succeeded' && !state) return;
    await this.sessions.endLogIn(transaction, { id, jobId: job.id }, endOf(job, state));
    if (state) await this.sessions.save(transaction, { id, generation: state.generation }, state.sealed);
  }
}

function endOf({ error }: Job, state: KeptState | undefined): LogInEnd {
  if (state) return { kind: 'succeeded', state: state.sealed };
  return error ? { kind: 'failed', error } : { kind: 'canceled' };
}
