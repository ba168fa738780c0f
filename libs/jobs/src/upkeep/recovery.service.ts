import { Injectable } from '@nestjs/common';
import { DatabaseService } from '@app/database';
import { AppError } from '@app/kernel';
import { UsageService } from '@app/usage';
import { slotHoldMs } from '../job/slot-hold.js';
import { JobQueue } from '../queue/job-queue.js';
import { AttemptsService, type FailureOutcome } from '../running/attempts.service.js';
import { RecoveryRepository, type AbandonedAttempt } from './recovery.repository.js';

/** Rows that one call reads. */
const BATCH = 500;

/** A job that no worker took within this time may have lost its queue entry; adding it again is harmless. */
const UNCLAIMED_MS = 5_000;

/** Repairs what crashes leave behind: attempts whose worker died, and queued jobs without a queue entry. */
@Injectable()
export class RecoveryService {
  constructor(
    private readonly database: DatabaseService,
    private readonly repository: RecoveryRepository,
    private readonly attempts: AttemptsService,
    private readonly usage: UsageService,
    private readonly queue: JobQueue,
  ) {}

  /** Ends the attempts whose leases have expired; returns them with the outcome of each. */
  async endAbandonedRuns(): Promise<(AbandonedAttempt & { outcome: FailureOutcome })[]> {
    const ended: (AbandonedAttempt & { outcome: FailureOutcome })[] = [];
    for (const attempt of await this.repository.listAbandoned(BATCH)) {
      const outcome = await this.attempts.endLost(attempt, new AppError('worker_lost'));
      ended.push({ ...attempt, outcome });
    }
    return ended;
  }

  /** Adds jobs that no worker has taken for some time to the queue again, and extends the holds of their slots. */
  async repeatHints(): Promise<void> {
    const jobs = await this.repository.listUnclaimed(UNCLAIMED_MS, BATCH);
    await this.database.transaction((transaction) =>
      this.usage.keepSlots(
        transaction,
        jobs.map(({ id: jobId, timeoutMs }) => ({ jobId, holdMs: slotHoldMs(timeoutMs) })),
      ),
    );
    // A queue that does not take one entry is down, and each further one would wait for the same timeout.
    for (const job of jobs) {
      if (!(await this.queue.add(job, { priority: job.priority }))) return;
    }
  }
}
