import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { DatabaseService } from '@app/database';
import { WorkerRegistryService } from '@app/jobs';
import { UpkeepMetrics, type Upkeep } from '../metrics/upkeep.metrics.js';
import { BatchRecordExpiry } from './batch-record-expiry.js';
import { FileExpiry } from './file-expiry.js';
import { RecordExpiry } from './record-expiry.js';
import { Rounds } from './rounds.js';

const PERIOD_MS = 60_000;

/** Deletes what is over: files, records and what belongs to them. One worker at a time does a round of it. */
@Injectable()
export class Expiry implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(Expiry.name);
  private readonly rounds = new Rounds(Expiry.name, PERIOD_MS, async (signal) => {
    await this.metrics.watching('expire', () =>
      this.database.tryAdvisoryLock('expire', () => this.expire(signal)),
    );
  });

  constructor(
    private readonly database: DatabaseService,
    private readonly files: FileExpiry,
    private readonly records: RecordExpiry,
    private readonly batches: BatchRecordExpiry,
    private readonly workers: WorkerRegistryService,
    private readonly metrics: UpkeepMetrics,
  ) {}

  onModuleInit(): void {
    this.rounds.start();
  }

  onApplicationShutdown(): Promise<void> {
    return this.rounds.stop();
  }

  /** A kind that fails keeps no other from its turn: a store that is away must not make the tables grow. */
  private async expire(signal: AbortSignal): Promise<void> {
    const kinds = {
      files: () => this.files.dropExpired(signal),
      leavings: () => this.files.sweepLeavings(signal),
      incoming: () => this.files.dropIncoming(),
      keys: () => this.records.purgeKeys(signal),
      records: () => this.records.dropRecords(signal),
      batches: () => this.batches.dropRecords(signal),
      deliveries: () => this.records.purgeDeliveries(signal),
      workers: () => this.workers.prune(),
    } satisfies Partial<Record<Upkeep, () => Promise<unknown>>>;
    for (const [kind, drop] of Object.entries(kinds) as [Upkeep, () => Promise<unknown>][]) {
      await this.metrics.watching(kind, drop).catch((error: unknown) => {
        this.logger.warn(
          { kind, err: error },
          'not all that is over could be deleted; the next round goes on',
        );
      });
    }
  }
}
