import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DatabaseModule } from '@app/database';
import { JobAcceptanceModule, JobBatchesModule } from '@app/jobs';
import { OutboundModule } from '@app/outbound';
import { UsageModule } from '@app/usage';
import { WebhooksModule } from '@app/webhooks';
import { Batch } from './batch.entity.js';
import { BatchBacklogRepository } from './batch-backlog.repository.js';
import { BatchRepository } from './batch.repository.js';
import { BatchesService } from './batches.service.js';
import { BatchPaceRepository } from './following/batch-pace.repository.js';
import { BatchWatchService } from './following/batch-watch.service.js';
import { BatchReaderService } from './reading/batch-reader.service.js';
import { FailedRowsService } from './reading/failed-rows.service.js';
import { BatchExportRepository } from './results/batch-export.repository.js';
import { BatchResultsRepository } from './results/batch-results.repository.js';
import { BatchAcceptanceService } from './storing/batch-acceptance.service.js';
import { BatchIntakeService } from './storing/batch-intake.service.js';

@Module({
  imports: [
    DatabaseModule,
    JobAcceptanceModule,
    JobBatchesModule,
    OutboundModule,
    UsageModule,
    WebhooksModule,
    TypeOrmModule.forFeature([Batch]),
  ],
  providers: [
    BatchAcceptanceService,
    BatchBacklogRepository,
    BatchesService,
    BatchExportRepository,
    BatchIntakeService,
    BatchPaceRepository,
    BatchReaderService,
    BatchRepository,
    BatchResultsRepository,
    BatchWatchService,
    FailedRowsService,
  ],
  exports: [
    BatchAcceptanceService,
    BatchBacklogRepository,
    BatchesService,
    BatchExportRepository,
    BatchPaceRepository,
    BatchReaderService,
    BatchResultsRepository,
    BatchWatchService,
    FailedRowsService,
  ],
})
export class BulkModule {}
