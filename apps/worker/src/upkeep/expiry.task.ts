import { Injectable, Logger } from '@nestjs/common';
import { DatabaseService } from '@app/database';
import { WorkerRegistryService } from '@app/jobs';
import { UpkeepMetrics } from '../metrics/upkeep.metrics.js';
import { BatchExpiryService } from './batch-expiry.service.js';
import { FileExpiryService } from './file-expiry.service.js';
import type { PeriodicTask } from './periodic-task.js';
import { RecordExpiryService } from './record-expiry.service.js';

/** What one run deletes, in this order, with the name that a failure is logged and counted under. */
type Step = readonly [task: string, run: (signal: AbortSignal) => Promise<unknown>];

/** Deletes expired files and records, and what belongs to them. One worker at a time. */
@Injectable()
export class ExpiryTask implements PeriodicTask {
  readonly name = 'expire';
  readonly periodMs = 60_000;
  private readonly logger = new Logger(ExpiryTask.name);
  private readonly steps: readonly Step[];

  constructor(
    private readonly database: DatabaseService,
    files: FileExpiryService,
    records: RecordExpiryService,
    batches: BatchExpiryService,
    workers: WorkerRegistryService,
    private readonly metrics: UpkeepMetrics,
  ) {
    this.steps = [
      ['files', (signal) => files.deleteExpired(signal)],
      ['orphaned_files', (signal) => files.deleteOrphaned(signal)],
      ['incoming', () => files.deleteIncoming()],
      ['keys', (signal) => records.deleteKeys(signal)],
      ['records', (signal) => records.deleteRecords(signal)],
      ['batches', (signal) => batches.deleteRecords(signal)],
      ['cache_entries', (signal) => files.deleteCacheEntries(signal)],
      // After all steps that may leave shared files without a record.
      ['shared_files', (signal) => files.deleteShared(signal)],
      ['deliveries', (signal) => records.deleteDeliveries(signal)],
      ['workers', () => workers.prune()],
    ];
  }

  async onStart(): Promise<void> {
    for (const [task] of this.steps) this.metrics.expose(task);
  }

  async run(signal: AbortSignal): Promise<void> {
    await this.database.tryAdvisoryLock(this.name, () => this.expire(signal));
  }

  /** A step that fails does not stop the others: while the file store is down, the tables must not grow. */
  private async expire(signal: AbortSignal): Promise<void> {
    for (const [task, run] of this.steps) {
      await this.metrics
        .countFailure(task, () => run(signal))
        .catch((error: unknown) => {
          this.logger.warn(
            { kind: task, err: error },
            'not everything expired could be deleted; the next run continues',
          );
        });
    }
  }
}
