import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DatabaseModule } from '@app/database';
import { WebhooksModule } from '@app/webhooks';
import { Batch } from '../batch.entity.js';
import { BatchAnnouncerService } from './batch-announcer.service.js';
import { BatchAuditService } from './batch-audit.service.js';
import { BatchCountsRepository } from './batch-counts.repository.js';
import { BatchExpiryRepository } from './batch-expiry.repository.js';
import { BatchAnnouncementRepository } from './batch-announcement.repository.js';

/** The upkeep of batches. Separate from BulkModule, so that a worker loads no CSV parser. */
@Module({
  imports: [DatabaseModule, WebhooksModule, TypeOrmModule.forFeature([Batch])],
  providers: [
    BatchAnnouncerService,
    BatchAuditService,
    BatchCountsRepository,
    BatchExpiryRepository,
    BatchAnnouncementRepository,
  ],
  exports: [BatchAnnouncerService, BatchAuditService, BatchExpiryRepository],
})
export class BatchUpkeepModule {}
