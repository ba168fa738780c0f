import { Module } from '@nestjs/common';
import { BulkModule } from '@app/bulk';
import { JobBatchesModule } from '@app/jobs';
import { WebhooksModule } from '@app/webhooks';
import { CaptureRoutesModule } from '../captures/capture-routes.module.js';
import { HttpModule } from '../http/http.module.js';
import { ApiMetricsModule } from '../metrics/api-metrics.module.js';
import { WebhookRoutesModule } from '../webhooks/webhook-routes.module.js';
import { BatchArchiveService } from './batch-archive.service.js';
import { BatchDownloadService } from './batch-download.service.js';
import { BatchEventsService } from './batch-events.service.js';
import { BatchFilesController } from './batch-files.controller.js';
import { BatchRecordsService } from './batch-records.service.js';
import { BatchSubmissionController } from './batch-submission.controller.js';
import { BatchSubmissionsService } from './batch-submissions.service.js';
import { BatchesController } from './batches.controller.js';

/** `/v1/bulk`: batches. */
@Module({
  imports: [
    ApiMetricsModule,
    BulkModule,
    CaptureRoutesModule,
    HttpModule,
    JobBatchesModule,
    WebhookRoutesModule,
    WebhooksModule,
  ],
  controllers: [BatchSubmissionController, BatchesController, BatchFilesController],
  providers: [
    BatchArchiveService,
    BatchDownloadService,
    BatchEventsService,
    BatchRecordsService,
    BatchSubmissionsService,
  ],
  exports: [BatchRecordsService],
})
export class BatchRoutesModule {}
