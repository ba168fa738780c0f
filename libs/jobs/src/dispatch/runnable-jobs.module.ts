import { Module } from '@nestjs/common';
import { DatabaseModule } from '@app/database';
import { UsageModule } from '@app/usage';
import { DispatchRepository } from './dispatch.repository.js';
import { RunnableJobsService } from './runnable-jobs.service.js';

/** Counts the jobs that more slots would run; imported by the API. */
@Module({
  imports: [DatabaseModule, UsageModule],
  providers: [DispatchRepository, RunnableJobsService],
  exports: [RunnableJobsService],
})
export class RunnableJobsModule {}
