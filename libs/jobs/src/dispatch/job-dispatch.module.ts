import { Module } from '@nestjs/common';
import { DatabaseModule } from '@app/database';
import { UsageModule } from '@app/usage';
import { JobCacheModule } from '../cache/job-cache.module.js';
import { JobQueueModule } from '../queue/job-queue.module.js';
import { WorkerRegistryModule } from '../workers/worker-registry.module.js';
import { DispatchDecisionService } from './dispatch-decision.service.js';
import { DispatchRepository } from './dispatch.repository.js';
import { DispatcherService } from './dispatcher.service.js';
import { ElectionRepository } from './election.repository.js';
import { ElectionService } from './election.service.js';

/** Moves waiting jobs into the queue; imported by workers. */
@Module({
  imports: [DatabaseModule, JobCacheModule, JobQueueModule, UsageModule, WorkerRegistryModule],
  providers: [
    DispatchDecisionService,
    DispatcherService,
    DispatchRepository,
    ElectionRepository,
    ElectionService,
  ],
  exports: [DispatcherService],
})
export class JobDispatchModule {}
