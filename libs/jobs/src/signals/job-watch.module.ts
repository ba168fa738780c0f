import { Module } from '@nestjs/common';
import { DatabaseModule } from '@app/database';
import { JobModule } from '../job/job.module.js';
import { JobSignalsModule } from './job-signals.module.js';
import { LivePhasesService } from './live-phases.service.js';
import { JobWatchService } from './job-watch.service.js';

/** Notifies of changes and ends of jobs; imported by processes that serve callers. */
@Module({
  imports: [DatabaseModule, JobModule, JobSignalsModule],
  providers: [JobWatchService, LivePhasesService],
  exports: [JobWatchService, LivePhasesService],
})
export class JobWatchModule {}
