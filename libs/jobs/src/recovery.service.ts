import { Injectable } from '@nestjs/common';
import { Database } from '@app/database';
import { AppError } from '@app/kernel';
import { UsageService } from '@app/usage';
import { Attempts, type FailureOutcome } from './attempts.service.js';
import { JobQueue } from './queue/job-queue.js';
import { RecoveryRepository, type AbandonedRun } from './recovery.repository.js';
import { slotHoldMs } from './slot-hold.js';

/** Rows that one call looks at. */
const BATCH = 500;

/** A job that was hinted at longer ago may have lost its queue entry; saying it again is harmless. */
const UNCLAIMED_MS = 5_000;

/** Mends what crashes leave behind: runs whose worker died, and queued jobs that the queue does not know. */
@Injectable()
export class Recovery {
  constructor(
    private readonly database: Database,
    private readonly repository: RecoveryRepository,
    private readonly attempts: Attempts,
    private readonly usage: UsageService,
    private readonly queue: JobQueue,
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
      if (!(await this.queue.add(job, { turn: job.turn }))) return;
    }
  }
}
