import { Module } from '@nestjs/common';
import { DatabaseModule } from '@app/database';
import { UsageModule } from '@app/usage';
import { JobCacheModule } from '../cache/job-cache.module.js';
import { SettlementService } from '../cache/settlement.service.js';
import { JobModule } from '../job/job.module.js';
import { JobQueueModule } from '../queue/job-queue.module.js';
import { JobRunningModule } from '../running/job-running.module.js';
import { AccountingAuditService } from './accounting-audit.service.js';
import { RecoveryRepository } from './recovery.repository.js';
import { RecoveryService } from './recovery.service.js';

/** Settles jobs that follow others, repairs what crashes leave behind, and audits the accounting; imported by workers. */
@Module({
  imports: [DatabaseModule, JobCacheModule, JobModule, JobQueueModule, JobRunningModule, UsageModule],
  providers: [AccountingAuditService, RecoveryRepository, RecoveryService, SettlementService],
  exports: [AccountingAuditService, RecoveryService, SettlementService],
})
export class JobUpkeepModule {}
