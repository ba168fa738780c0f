import { Module } from '@nestjs/common';
import { DatabaseModule } from '@app/database';
import { UsageModule } from '@app/usage';
import { JobQueueModule } from '../queue/job-queue.module.js';
import { DispatchRepository } from './dispatch.repository.js';
import { DispatcherService } from './dispatcher.service.js';
import { WorkerRegistryModule } from '../workers/worker-registry.module.js';

/** Moves waiting jobs into the queue; imported by workers. */
@Module({
  imports: [DatabaseModule, JobQueueModule, UsageModule, WorkerRegistryModule],
  providers: [DispatcherService, DispatchRepository],
  exports: [DispatcherService],
})
export class JobDispatchModule {}
