import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DatabaseModule } from '@app/database';
import { WebhooksModule } from '@app/webhooks';
import { Batch } from '../batch.entity.js';
import { BatchAnnouncer } from './batch-announcer.js';
import { BatchAudit } from './batch-audit.js';
import { BatchCounts } from './batch-counts.repository.js';
import { BatchExpiry } from './batch-expiry.repository.js';
import { Unannounced } from './unannounced.repository.js';

/** What batches need that nobody asks for; apart from their life, so that a worker loads no reader of CSV. */
@Module({
  imports: [DatabaseModule, WebhooksModule, TypeOrmModule.forFeature([Batch])],
  providers: [BatchAnnouncer, BatchAudit, BatchCounts, BatchExpiry, Unannounced],
  exports: [BatchAnnouncer, BatchAudit, BatchExpiry],
})
export class BatchUpkeepModule {}
