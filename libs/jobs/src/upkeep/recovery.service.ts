import { Injectable } from '@nestjs/common';
import { DatabaseService } from '@app/database';
import { AppError } from '@app/kernel';
import { UsageService } from '@app/usage';
import { AttemptsService, type FailureOutcome } from '../running/attempts.service.js';
import { JobQueueService } from '../queue/job-queue.service.js';
import { RecoveryRepository, type AbandonedRun } from './recovery.repository.js';
import { slotHoldMs } from '../running/slot-hold.js';

/** Rows that one call looks at. */
const BATCH = 500;

/** A job that was hinted at longer ago may have lost its queue entry; saying it again is harmless. */
const UNCLAIMED_MS = 5_000;

/** Mends what crashes leave behind: runs whose worker died, and queued jobs that the queue does not know. */
@Injectable()
export class RecoveryService {
  constructor(
    private readonly database: DatabaseService,
    private readonly repository: RecoveryRepository,
    private readonly attempts: AttemptsService,
    private readonly usage: UsageService,
    private readonly queue: JobQueueService,
  ) {}

  /** Ends the runs whose leases are over; returns them, with what became of each. */
  async endAbandonedRuns(): Promise<(AbandonedRun & { outcome: FailureOutcome })[]> {
    const ended: (AbandonedRun & { outcome: FailureOutcome })[] = [];
    for (const run of await this.repository.listAbandoned(BATCH)) {
      const outcome = await this.attempts.lose(run, new AppError('worker_lost'));
      ended.push({ ...run, outcome });
    }
    return ended;
  }

  /** Hints again at jobs that nobody has taken for some time, and holds their slots for as long as they wait. */
  async repeatHints(): Promise<void> {
    const jobs = await this.repository.listUnclaimed(UNCLAIMED_MS, BATCH);
    await this.database.transaction((transaction) =>
      this.usage.keepSlots(
        transaction,
        jobs.map(({ id: jobId, timeoutMs }) => ({ jobId, holdMs: slotHoldMs(timeoutMs) })),
      ),
    );
    // A queue that does not take one is away, and would let every other wait for as long.
    for (const job of jobs) {
      if (!(await this.queue.add(job, { priority: job.priority }))) return;
    }
  }
}
