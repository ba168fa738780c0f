import { Module } from '@nestjs/common';
import { DatabaseModule } from '@app/database';
import { OutboundModule } from '@app/outbound';
import { UsageModule } from '@app/usage';
import { WorkerRegistryModule } from '../dispatch/worker-registry.module.js';
import { JobModule } from '../job/job.module.js';
import { JobQueueModule } from '../queue/job-queue.module.js';
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
    JobModule,
    JobQueueModule,
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
  ],
  exports: [AcceptanceService, AcceptanceTransactionService, ComparisonCheckService, IdempotencyKeyModule],
})
export class JobAcceptanceModule {}
