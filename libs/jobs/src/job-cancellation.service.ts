import { Injectable } from '@nestjs/common';
import { DatabaseService } from '@app/database';
import { IdempotencyKeyRepository } from './acceptance/idempotency-key.repository.js';
import type { CancelReason } from './job/job-state.js';
import type { Job } from './job/job.entity.js';
import { JobRepository } from './job/job.repository.js';
import { JobFinalizerService } from './running/job-finalizer.service.js';
import { sendSignal } from './signals/signals.js';

/** Ends jobs that their callers no longer want. */
@Injectable()
export class JobCancellationService {
  constructor(
    private readonly database: DatabaseService,
    private readonly repository: JobRepository,
    private readonly keys: IdempotencyKeyRepository,
    private readonly finalizer: JobFinalizerService,
  ) {}

  /**
   * Cancels a job that is queued or running; null if it was final already.
   *
   * @param releasedKey an Idempotency-Key that stands for the job
   */
  cancel({ id, accountId }: Job, reason: CancelReason, releasedKey?: string): Promise<Job | null> {
    return this.database.transaction(async (transaction) => {
      const job = await this.repository.cancel(transaction, id, reason);
      if (!job) return null;
      // Keys are locked before the counter of the account, as in acceptance.
      if (releasedKey !== undefined) {
        await this.keys.release(transaction, [{ accountId, key: releasedKey, subjectId: id }]);
      }
      await this.finalizer.finalize(transaction, job);
      await sendSignal(transaction, 'canceled', [id]);
      return job;
    });
  }

  /** Releases an Idempotency-Key that stands for this job, and leaves the job as it is. */
  async releaseKey({ id: subjectId, accountId }: Job, key: string): Promise<void> {
    await this.database.transaction((transaction) =>
      this.keys.release(transaction, [{ accountId, key, subjectId }]),
    );
  }
}
