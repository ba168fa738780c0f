import { Module } from '@nestjs/common';
import { DatabaseModule } from '@app/database';
import { JobAcceptanceModule } from './acceptance/job-acceptance.module.js';
import { JobCancellationService } from './job-cancellation.service.js';
import { JobModule } from './job/job.module.js';
import { JobQueueModule } from './queue/job-queue.module.js';
import { JobsService } from './jobs.service.js';
import { JobFinalizerModule } from './running/job-finalizer.module.js';
import { JobWatchModule } from './signals/job-watch.module.js';

/** What callers do with jobs; imported by processes that serve callers. Each phase of a job's life has a module of its own. */
@Module({
  imports: [
    JobQueueModule,
    DatabaseModule,
    JobAcceptanceModule,
    JobFinalizerModule,
    JobModule,
    JobWatchModule,
  ],
  providers: [JobCancellationService, JobsService],
  exports: [JobsService],
})
export class JobsModule {}
