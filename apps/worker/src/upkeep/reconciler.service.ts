import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { BatchAuditService } from '@app/bulk';
import { DatabaseService } from '@app/database';
import { LEASE_RENEWAL_MS, RecoveryService } from '@app/jobs';
import { CaptureMetrics } from '../metrics/capture.metrics.js';
import { UpkeepMetrics } from '../metrics/upkeep.metrics.js';
import { Rounds } from './rounds.js';

const PERIOD_MS = 5_000;

/**
 * After an outage of the database, no run is called abandoned for this long: no worker could renew a lease meanwhile,
 * and each gets the time to do so, or to hand in what it holds.
 */
const LEASE_GRACE_MS = 2 * LEASE_RENEWAL_MS;

/** Mends what crashes leave behind, again and again. Every worker has one; one at a time does a round. */
@Injectable()
export class Reconciler implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(Reconciler.name);
  private readonly rounds = new Rounds(Reconciler.name, PERIOD_MS, () =>
    this.upkeep.watching('reconcile', () => this.round()),
  );
  private failedAt = -Infinity;

  constructor(
    private readonly database: DatabaseService,
    private readonly recovery: RecoveryService,
    private readonly batches: BatchAuditService,
    private readonly captures: CaptureMetrics,
    private readonly upkeep: UpkeepMetrics,
  ) {}

  onModuleInit(): void {
    this.rounds.start();
  }

  onApplicationShutdown(): Promise<void> {
    return this.rounds.stop();
  }

  private async round(): Promise<void> {
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
    const differences = await this.batches.next();
    this.upkeep.correctedBatches(differences.length);
    for (const { batchId, counted, actual } of differences) {
      const line = { batch_id: batchId, counted, actual };
      this.logger.error(line, 'a batch was not what its rows say; it is corrected');
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
