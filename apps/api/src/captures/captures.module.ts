import { Module } from '@nestjs/common';
import {
  JobDeletionModule,
  JobExpiryModule,
  JobHistoryModule,
  JobModule,
  JobsModule,
  JobWatchModule,
} from '@app/jobs';
import { OutboundModule } from '@app/outbound';
import { StorageModule } from '@app/storage';
import { WebhooksModule } from '@app/webhooks';
import { ServingModule } from '../http/serving.module.js';
import { JobEventsService } from '../jobs/job-events.service.js';
import { JobRecordsService } from '../jobs/job-records.service.js';
import { JobsController } from '../jobs/jobs.controller.js';
import { WebhookTargetService } from '../jobs/webhook-target.service.js';
import { ApiMetricsModule } from '../metrics/api-metrics.module.js';
import { CaptureAnswerService } from './capture-answer.service.js';
import { CaptureDeletionService } from './capture-deletion.service.js';
import { CaptureController } from './capture.controller.js';
import { CapturesController } from './captures.controller.js';
import { FileSenderService } from './file-sender.service.js';
import { SyncCapturesService } from './sync-captures.service.js';

/** Captures and jobs: two views of the same rows. */
@Module({
  imports: [
    ApiMetricsModule,
    JobDeletionModule,
    JobExpiryModule,
    JobHistoryModule,
    JobModule,
    JobsModule,
    JobWatchModule,
    OutboundModule,
    ServingModule,
    StorageModule,
    WebhooksModule,
  ],
  controllers: [CaptureController, CapturesController, JobsController],
  providers: [
    CaptureAnswerService,
    CaptureDeletionService,
    FileSenderService,
    JobEventsService,
    JobRecordsService,
    SyncCapturesService,
    WebhookTargetService,
  ],
  exports: [SyncCapturesService, WebhookTargetService],
})
export class CapturesModule {}
