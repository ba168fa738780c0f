import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DefaultOptionsModule } from '@app/capture';
import { DatabaseModule } from '@app/database';
import { JobBatchesModule, JobCacheModule, JobIntakeModule } from '@app/jobs';
import { OutboundModule } from '@app/outbound';
import { SessionsModule } from '@app/sessions';
import { UsageModule } from '@app/usage';
import { Batch } from '../batch.entity.js';
import { BatchRepository } from '../batch.repository.js';
import { BatchFeedService } from './batch-feed.service.js';
import { PortionReaderService } from './portion-reader.service.js';

/** Batches to which rows are added while they run. Separate from BulkModule, so that a worker loads no CSV parser. */
@Module({
  imports: [
    DatabaseModule,
    DefaultOptionsModule,
    JobBatchesModule,
    JobCacheModule,
    JobIntakeModule,
    OutboundModule,
    SessionsModule,
    UsageModule,
    TypeOrmModule.forFeature([Batch]),
  ],
  providers: [BatchFeedService, BatchRepository, PortionReaderService],
  exports: [BatchFeedService, PortionReaderService],
})
export class BatchFeedModule {}
