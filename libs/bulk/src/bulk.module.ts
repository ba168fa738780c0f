import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DatabaseModule } from '@app/database';
import { JobsModule } from '@app/jobs';
import { WebhooksModule } from '@app/webhooks';
import { Batch } from './batch.entity.js';
import { BatchRepository } from './batch.repository.js';

@Module({
  imports: [DatabaseModule, JobsModule, WebhooksModule, TypeOrmModule.forFeature([Batch])],
  providers: [BatchRepository],
  exports: [BatchRepository],
})
export class BulkModule {}
