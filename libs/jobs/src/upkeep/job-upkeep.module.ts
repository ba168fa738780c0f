import { Module } from '@nestjs/common';
import { DatabaseModule } from '@app/database';
import { UsageModule } from '@app/usage';
import { JobQueueModule } from '../queue/job-queue.module.js';
import { JobRunningModule } from '../running/job-running.module.js';
import { AccountingAuditService } from './accounting-audit.service.js';
import { RecoveryRepository } from './recovery.repository.js';
import { RecoveryService } from './recovery.service.js';
import { ReservationRepository } from './reservation.repository.js';

/** Repairs what crashes leave behind, and audits the accounting; imported by workers. */
@Module({
  imports: [DatabaseModule, JobQueueModule, JobRunningModule, UsageModule],
  providers: [AccountingAuditService, RecoveryRepository, RecoveryService, ReservationRepository],
  exports: [AccountingAuditService, RecoveryService],
})
export class JobUpkeepModule {}
