import { Module } from '@nestjs/common';
import { JobExpiryModule, JobHistoryModule, JobsModule } from '@app/jobs';
import { Clock, SystemClock } from '@app/kernel';
import { OutboundModule } from '@app/outbound';
import { StorageModule } from '@app/storage';
import { WebhooksModule } from '@app/webhooks';
import { ServingModule } from '../http/serving.module.js';
import { JobEvents } from '../jobs/job-events.service.js';
import { JobRecords } from '../jobs/job-records.service.js';
import { JobsController } from '../jobs/jobs.controller.js';
import { WebhookTarget } from '../jobs/webhook-target.service.js';
import { ApiMetricsModule } from '../metrics/api-metrics.module.js';
import { CaptureAnswer } from './capture-answer.service.js';
import { CaptureDeletion } from './capture-deletion.service.js';
import { CaptureController } from './capture.controller.js';
import { CapturesController } from './captures.controller.js';
import { FileSender } from './file-sender.service.js';
import { SyncCaptures } from './sync-captures.service.js';

/** Captures and jobs: two views of the same rows. */
@Module({
  imports: [
    ApiMetricsModule,
    JobExpiryModule,
    JobHistoryModule,
    JobsModule,
    OutboundModule,
    ServingModule,
    StorageModule,
    WebhooksModule,
  ],
  controllers: [CaptureController, CapturesController, JobsController],
  providers: [
    CaptureAnswer,
    CaptureDeletion,
    FileSender,
    JobEvents,
    JobRecords,
    SyncCaptures,
    WebhookTarget,
    { provide: Clock, useClass: SystemClock },
  ],
  exports: [SyncCaptures, WebhookTarget],
})
export class CapturesModule {}
