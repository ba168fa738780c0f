import { Module } from '@nestjs/common';
import { DatabaseModule } from '@app/database';
import { UsageModule } from '@app/usage';
import { JobModule } from '../job/job.module.js';
import { JobQueueModule } from '../queue/job-queue.module.js';
import { PhaseReportsService } from '../signals/phase-reports.service.js';
import { AttemptsService } from './attempts.service.js';
import { JobFinalizerModule } from './job-finalizer.module.js';

/** Claims jobs, keeps their leases and ends their attempts; imported by workers. */
@Module({
  imports: [DatabaseModule, JobFinalizerModule, JobModule, JobQueueModule, UsageModule],
  providers: [AttemptsService, PhaseReportsService],
  exports: [AttemptsService, PhaseReportsService],
})
export class JobRunningModule {}
