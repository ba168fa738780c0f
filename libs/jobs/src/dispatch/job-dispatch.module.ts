import { Module } from '@nestjs/common';
import { DatabaseModule } from '@app/database';
import { UsageModule } from '@app/usage';
import { JobCacheModule } from '../cache/job-cache.module.js';
import { JobQueueModule } from '../queue/job-queue.module.js';
import { WorkerRegistryModule } from '../workers/worker-registry.module.js';
import { DispatchDecisionService } from './dispatch-decision.service.js';
import { DispatchRepository } from './dispatch.repository.js';
import { DispatcherService } from './dispatcher.service.js';

/** Moves waiting jobs into the queue; imported by workers. */
@Module({
  imports: [DatabaseModule, JobCacheModule, JobQueueModule, UsageModule, WorkerRegistryModule],
  providers: [DispatchDecisionService, DispatcherService, DispatchRepository],
  exports: [DispatcherService],
})
export class JobDispatchModule {}
