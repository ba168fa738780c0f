import { Module } from '@nestjs/common';
import { OutboundModule } from '@app/outbound';
import { SessionsModule } from '@app/sessions';
import { UsageModule } from '@app/usage';
import { NewJobFactory } from '../acceptance/new-job.factory.js';
import { JobCacheModule } from '../cache/job-cache.module.js';
import { JobModule } from '../job/job.module.js';
import { WorkerRegistryModule } from '../workers/worker-registry.module.js';
import { BatchCancellationService } from './batch-cancellation.service.js';
import { BatchRowExportRepository } from './batch-row-export.repository.js';
import { BatchRowQueryRepository } from './batch-row-query.repository.js';
import { BatchRowRepository } from './batch-row.repository.js';
import { OpenRowRepository } from './open-row.repository.js';
import { RowOutcomeRepository } from './row-outcome.repository.js';

/** The jobs of batches, as many at once as a batch has. */
@Module({
  imports: [JobCacheModule, JobModule, OutboundModule, SessionsModule, UsageModule, WorkerRegistryModule],
  providers: [
    BatchCancellationService,
    BatchRowExportRepository,
    BatchRowQueryRepository,
    BatchRowRepository,
    NewJobFactory,
    OpenRowRepository,
    RowOutcomeRepository,
  ],
  exports: [
    BatchCancellationService,
    BatchRowExportRepository,
    BatchRowQueryRepository,
    BatchRowRepository,
    RowOutcomeRepository,
  ],
})
export class JobBatchesModule {}
