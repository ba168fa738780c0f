import { Module } from '@nestjs/common';
import { SessionsModule } from '@app/sessions';
import { UsageModule } from '@app/usage';
import { JobCacheModule } from '../cache/job-cache.module.js';
import { JobModule } from '../job/job.module.js';
import { JobFinalizerService } from './job-finalizer.service.js';

/** Ends jobs; for workers, and for the API, which cancels and deletes. */
@Module({
  imports: [JobCacheModule, JobModule, SessionsModule, UsageModule],
  providers: [JobFinalizerService],
  exports: [JobFinalizerService],
})
export class JobFinalizerModule {}
