import { Module } from '@nestjs/common';
import { BulkModule } from '@app/bulk';
import { WebhooksModule } from '@app/webhooks';
import { CapturesModule } from '../captures/captures.module.js';
import { ServingModule } from '../http/serving.module.js';
import { ApiMetricsModule } from '../metrics/api-metrics.module.js';
import { BatchDownloadController } from './batch-download.controller.js';
import { BatchEvents } from './batch-events.service.js';
import { BatchRecords } from './batch-records.service.js';
import { BatchSubmissionController } from './batch-submission.controller.js';
import { BatchSubmissions } from './batch-submissions.service.js';
import { BatchesController } from './batches.controller.js';
import { ResultsSender } from './results-sender.service.js';

/** The routes of batches. */
@Module({
  imports: [ApiMetricsModule, BulkModule, CapturesModule, ServingModule, WebhooksModule],
  controllers: [BatchSubmissionController, BatchesController, BatchDownloadController],
  providers: [BatchEvents, BatchRecords, BatchSubmissions, ResultsSender],
})
export class BatchesModule {}
