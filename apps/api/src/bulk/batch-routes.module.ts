import { Module } from '@nestjs/common';
import { BulkModule } from '@app/bulk';
import { WebhooksModule } from '@app/webhooks';
import { HttpModule } from '../http/http.module.js';
import { ApiMetricsModule } from '../metrics/api-metrics.module.js';
import { WebhookTargetModule } from '../webhooks/webhook-target.module.js';
import { BatchDownloadService } from './batch-download.service.js';
import { BatchEventsService } from './batch-events.service.js';
import { BatchRecordsService } from './batch-records.service.js';
import { BatchSubmissionController } from './batch-submission.controller.js';
import { BatchSubmissionsService } from './batch-submissions.service.js';
import { BatchesController } from './batches.controller.js';

/** `/v1/bulk`: batches. */
@Module({
  imports: [ApiMetricsModule, BulkModule, HttpModule, WebhookTargetModule, WebhooksModule],
  controllers: [BatchSubmissionController, BatchesController],
  providers: [BatchDownloadService, BatchEventsService, BatchRecordsService, BatchSubmissionsService],
})
export class BatchRoutesModule {}
