import { Module } from '@nestjs/common';
import { BulkModule } from '@app/bulk';
import { WebhooksModule } from '@app/webhooks';
import { ServingModule } from '../http/serving.module.js';
import { BatchDownloadController } from './batch-download.controller.js';
import { BatchEvents } from './batch-events.service.js';
import { BatchRecords } from './batch-records.service.js';
import { BatchesController } from './batches.controller.js';
import { ResultsSender } from './results-sender.service.js';

/** The routes of batches. */
@Module({
  imports: [BulkModule, ServingModule, WebhooksModule],
  controllers: [BatchDownloadController, BatchesController],
  providers: [BatchEvents, BatchRecords, ResultsSender],
})
export class BatchesModule {}
