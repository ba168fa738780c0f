import { Injectable, Logger } from '@nestjs/common';
import { BatchAuditService } from '@app/bulk';
import { DatabaseService } from '@app/database';
import { LEASE_RENEWAL_MS, RecoveryService } from '@app/jobs';
import { CaptureMetrics } from '../metrics/capture.metrics.js';
import { UpkeepMetrics } from '../metrics/upkeep.metrics.js';
import type { PeriodicTask } from './periodic-task.js';

/**
 * After an outage of the database no run counts as abandoned for this long. No worker could renew a lease during the
 * outage; this gives each of them time to renew it, or to store its result.
 */
const LEASE_GRACE_MS = 2 * LEASE_RENEWAL_MS;

/** Repairs what crashes leave behind. One worker at a time. */
@Injectable()
export class ReconciliationTask implements PeriodicTask {
  readonly name = 'reconcile';
  readonly periodMs = 5_000;
  private readonly logger = new Logger(ReconciliationTask.name);
  private failedAt = -Infinity;

  constructor(
    private readonly database: DatabaseService,
    private readonly recovery: RecoveryService,
    private readonly batches: BatchAuditService,
    private readonly captures: CaptureMetrics,
    private readonly upkeep: UpkeepMetrics,
  ) {}

  async run(): Promise<void> {
    try {
      await this.database.tryAdvisoryLock('reconcile', () => this.reconcile());
    } catch (error) {
      this.failedAt = performance.now();
      throw error;
    }
  }

  private async reconcile(): Promise<void> {
    if (performance.now() - this.failedAt > LEASE_GRACE_MS) await this.endAbandonedRuns();
    await this.recovery.repeatHints();
    await this.auditBatches();
  }

  private async auditBatches(): Promise<void> {
    const differences = await this.batches.auditNext();
    this.upkeep.correctedBatches(differences.length);
    for (const { batchId, counted, actual } of differences) {
      const line = { batch_id: batchId, counted, actual };
      this.logger.error(line, 'the counts of a batch differed from its rows; they are corrected');
    }
  }

  private async endAbandonedRuns(): Promise<void> {
    for (const run of await this.recovery.endAbandonedRuns()) {
      const { id, attempt, source, requestId, workerId, outcome } = run;
      this.captures.abandoned(run, outcome);
      const line = { job_id: id, attempt, source, request_id: requestId, worker: workerId, outcome };
      this.logger.warn(line, 'the worker of this capture was lost');
    }
  }
}
