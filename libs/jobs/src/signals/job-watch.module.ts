import { Module } from '@nestjs/common';
import { JobModule } from '../job/job.module.js';
import { JobSignalsModule } from './job-signals.module.js';
import { JobWatchService } from './job-watch.service.js';

/** Notifies of changes and ends of jobs; imported by processes that serve callers. */
@Module({
  imports: [JobModule, JobSignalsModule],
  providers: [JobWatchService],
  exports: [JobWatchService],
})
export class JobWatchModule {}
