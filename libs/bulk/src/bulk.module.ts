import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DefaultOptionsModule } from '@app/capture';
import { DatabaseModule } from '@app/database';
import { JobAcceptanceModule, JobBatchesModule, JobCacheModule } from '@app/jobs';
import { OutboundModule } from '@app/outbound';
import { SessionsModule } from '@app/sessions';
import { UsageModule } from '@app/usage';
import { WebhooksModule } from '@app/webhooks';
import { BatchAcceptanceService } from './acceptance/batch-acceptance.service.js';
import { BatchIntakeService } from './acceptance/batch-intake.service.js';
import { DryRunService } from './acceptance/dry-run.service.js';
import { RowSpoolingService } from './acceptance/row-spooling.service.js';
import { BatchBacklogRepository } from './batch-backlog.repository.js';
import { BatchHistoryRepository } from './batch-history.repository.js';
import { Batch } from './batch.entity.js';
import { BatchRepository } from './batch.repository.js';
import { BatchesService } from './batches.service.js';
import { BatchReaderService } from './parsing/batch-reader.service.js';
import { FailedRowsService } from './parsing/failed-rows.service.js';
import { BatchEtaService } from './progress/batch-eta.service.js';
import { BatchWatchService } from './progress/batch-watch.service.js';
import { BatchResultsService } from './results/batch-results.service.js';
import { ResultsCsvService } from './results/results-csv.service.js';

@Module({
  imports: [
    DatabaseModule,
    DefaultOptionsModule,
    JobAcceptanceModule,
    JobBatchesModule,
    JobCacheModule,
    OutboundModule,
    SessionsModule,
    UsageModule,
    WebhooksModule,
    TypeOrmModule.forFeature([Batch]),
  ],
  providers: [
    BatchAcceptanceService,
    BatchBacklogRepository,
    BatchesService,
    BatchEtaService,
    BatchHistoryRepository,
    BatchIntakeService,
    BatchReaderService,
    BatchRepository,
    BatchResultsService,
    BatchWatchService,
    DryRunService,
    FailedRowsService,
    ResultsCsvService,
    RowSpoolingService,
  ],
  exports: [
    BatchAcceptanceService,
    BatchBacklogRepository,
    BatchesService,
    BatchEtaService,
    BatchHistoryRepository,
    BatchReaderService,
    BatchResultsService,
    BatchWatchService,
    FailedRowsService,
    ResultsCsvService,
  ],
})
export class BulkModule {}
