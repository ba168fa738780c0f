import { Module } from '@nestjs/common';
import { JobCacheModule } from '../cache/job-cache.module.js';
import { RenewalAcceptance, RenewalService } from '../cache/renewal.service.js';
import { JobModule } from '../job/job.module.js';
import { JobQueueModule } from '../queue/job-queue.module.js';
import { AcceptanceService } from './acceptance.service.js';
import { ComparisonCheckService } from './comparison-check.service.js';
import { IdempotencyKeyModule } from './idempotency-key.module.js';
import { JobIntakeModule } from './job-intake.module.js';

/** Accepts jobs; imported by processes that serve callers. */
@Module({
  imports: [IdempotencyKeyModule, JobCacheModule, JobIntakeModule, JobModule, JobQueueModule],
  providers: [
    AcceptanceService,
    ComparisonCheckService,
    RenewalService,
    { provide: RenewalAcceptance, useExisting: AcceptanceService },
  ],
  exports: [AcceptanceService, ComparisonCheckService, IdempotencyKeyModule, JobIntakeModule, RenewalService],
})
export class JobAcceptanceModule {}
