import { Module } from '@nestjs/common';
import { DatabaseModule } from '@app/database';
import { WebhooksModule } from '@app/webhooks';
import { IdempotencyKeyModule } from '../acceptance/idempotency-key.module.js';
import { JobCacheModule } from '../cache/job-cache.module.js';
import { JobModule } from '../job/job.module.js';
import { JobFinalizerModule } from '../running/job-finalizer.module.js';
import { JobDeletionRepository } from './job-deletion.repository.js';
import { JobDeletionService } from './job-deletion.service.js';

/** Deletes jobs on request. */
@Module({
  imports: [
    DatabaseModule,
    IdempotencyKeyModule,
    JobCacheModule,
    JobFinalizerModule,
    JobModule,
    WebhooksModule,
  ],
  providers: [JobDeletionRepository, JobDeletionService],
  exports: [JobDeletionService],
})
export class JobDeletionModule {}
