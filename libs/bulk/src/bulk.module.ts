import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DatabaseModule } from '@app/database';
import { JobsModule } from '@app/jobs';
import { OutboundModule } from '@app/outbound';
import { UsageModule } from '@app/usage';
import { WebhooksModule } from '@app/webhooks';
import { Batch } from './batch.entity.js';
import { BatchBacklog } from './batch-backlog.repository.js';
import { BatchRepository } from './batch.repository.js';
import { BatchesService } from './batches.service.js';
import { BatchPace } from './following/batch-pace.repository.js';
import { BatchWatch } from './following/batch-watch.js';
import { BatchReader } from './reading/batch-reader.service.js';
import { FailedRows } from './reading/failed-rows.service.js';
import { BatchExport } from './results/batch-export.repository.js';
import { BatchResults } from './results/batch-results.repository.js';
import { BatchAcceptance } from './storing/batch-acceptance.service.js';
import { BatchIntake } from './storing/batch-intake.service.js';

@Module({
  imports: [
    DatabaseModule,
    JobsModule,
    OutboundModule,
    UsageModule,
    WebhooksModule,
    TypeOrmModule.forFeature([Batch]),
  ],
  providers: [
    BatchAcceptance,
    BatchBacklog,
    BatchesService,
    BatchExport,
    BatchIntake,
    BatchPace,
    BatchReader,
    BatchRepository,
    BatchResults,
    BatchWatch,
    FailedRows,
  ],
  exports: [
    BatchAcceptance,
    BatchBacklog,
    BatchesService,
    BatchExport,
    BatchPace,
    BatchReader,
    BatchResults,
    BatchWatch,
    FailedRows,
  ],
})
export class BulkModule {}
