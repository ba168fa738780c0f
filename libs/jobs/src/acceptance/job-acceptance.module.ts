import { Module } from '@nestjs/common';
import { DatabaseModule } from '@app/database';
import { OutboundModule } from '@app/outbound';
import { UsageModule } from '@app/usage';
import { JobCacheModule } from '../cache/job-cache.module.js';
import { RenewalAcceptance, RenewalService } from '../cache/renewal.service.js';
import { SyncCacheService } from '../cache/sync-cache.service.js';
import { JobModule } from '../job/job.module.js';
import { JobQueueModule } from '../queue/job-queue.module.js';
import { JobSignalsModule } from '../signals/job-signals.module.js';
import { WorkerRegistryModule } from '../workers/worker-registry.module.js';
import { AcceptanceTransactionService } from './acceptance-transaction.service.js';
import { AcceptanceService } from './acceptance.service.js';
import { ComparisonCheckService } from './comparison-check.service.js';
import { IdempotencyKeyModule } from './idempotency-key.module.js';
import { IntakeService } from './intake.service.js';
import { NewJobFactory } from './new-job.factory.js';
import { NewJobRepository } from './new-job.repository.js';

/** Accepts jobs; imported by processes that serve callers. */
@Module({
  imports: [
    DatabaseModule,
    IdempotencyKeyModule,
    JobCacheModule,
    JobModule,
    JobQueueModule,
    JobSignalsModule,
    OutboundModule,
    UsageModule,
    WorkerRegistryModule,
  ],
  providers: [
    AcceptanceService,
    AcceptanceTransactionService,
    ComparisonCheckService,
    IntakeService,
    NewJobFactory,
    NewJobRepository,
    RenewalService,
    SyncCacheService,
    { provide: RenewalAcceptance, useExisting: AcceptanceService },
  ],
  exports: [
    AcceptanceService,
    AcceptanceTransactionService,
    ComparisonCheckService,
    IdempotencyKeyModule,
    RenewalService,
    SyncCacheService,
  ],
})
export class JobAcceptanceModule {}
