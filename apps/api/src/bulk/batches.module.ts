import { Module } from '@nestjs/common';
import { BulkModule } from '@app/bulk';
import { WebhooksModule } from '@app/webhooks';
import { CapturesModule } from '../captures/captures.module.js';
import { ServingModule } from '../http/serving.module.js';
import { ApiMetricsModule } from '../metrics/api-metrics.module.js';
import { BatchDownloadController } from './batch-download.controller.js';
import { BatchEventsService } from './batch-events.service.js';
import { BatchRecordsService } from './batch-records.service.js';
import { BatchSubmissionController } from './batch-submission.controller.js';
import { BatchSubmissionsService } from './batch-submissions.service.js';
import { BatchesController } from './batches.controller.js';
import { ResultsSenderService } from './results-sender.service.js';

/** The routes of batches. */
@Module({
  imports: [ApiMetricsModule, BulkModule, CapturesModule, ServingModule, WebhooksModule],
  controllers: [BatchSubmissionController, BatchesController, BatchDownloadController],
  providers: [BatchEventsService, BatchRecordsService, BatchSubmissionsService, ResultsSenderService],
})
export class BatchesModule {}
