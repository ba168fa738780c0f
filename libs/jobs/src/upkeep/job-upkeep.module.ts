import { Module } from '@nestjs/common';
import { DatabaseModule } from '@app/database';
import { UsageModule } from '@app/usage';
import { JobCacheModule } from '../cache/job-cache.module.js';
import { SettlementService } from '../cache/settlement.service.js';
import { JobModule } from '../job/job.module.js';
import { JobQueueModule } from '../queue/job-queue.module.js';
import { JobFinalizerModule } from '../running/job-finalizer.module.js';
import { JobRunningModule } from '../running/job-running.module.js';
import { AccountJobsRepository } from './account-jobs.repository.js';
import { AccountJobsService } from './account-jobs.service.js';
import { AccountingAuditService } from './accounting-audit.service.js';
import { RecoveryRepository } from './recovery.repository.js';
import { RecoveryService } from './recovery.service.js';

/** Settles jobs that follow others, repairs what crashes leave behind, and audits the accounting; imported by workers. */
@Module({
  imports: [
    DatabaseModule,
    JobCacheModule,
    JobFinalizerModule,
    JobModule,
    JobQueueModule,
    JobRunningModule,
    UsageModule,
  ],
  providers: [
    AccountingAuditService,
    AccountJobsRepository,
    AccountJobsService,
    RecoveryRepository,
    RecoveryService,
    SettlementService,
  ],
  exports: [
    AccountingAuditService,
    AccountJobsRepository,
    AccountJobsService,
    RecoveryService,
    SettlementService,
  ],
})
export class JobUpkeepModule {}
