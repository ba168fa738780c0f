import { Module } from '@nestjs/common';
import { DefaultOptionsModule } from '@app/capture';
import { JobModule, JobsModule, JobWatchModule } from '@app/jobs';
import { WebhooksModule } from '@app/webhooks';
import { CaptureRoutesModule } from '../captures/capture-routes.module.js';
import { HttpModule } from '../http/http.module.js';
import { WebhookRoutesModule } from '../webhooks/webhook-routes.module.js';
import { JobEventsService } from './job-events.service.js';
import { JobRecordsService } from './job-records.service.js';
import { JobsController } from './jobs.controller.js';

/** `/v1/jobs`: captures whose callers do not wait for them. */
@Module({
  imports: [
    CaptureRoutesModule,
    DefaultOptionsModule,
    HttpModule,
    JobModule,
    JobsModule,
    JobWatchModule,
    WebhookRoutesModule,
    WebhooksModule,
  ],
  controllers: [JobsController],
  providers: [JobEventsService, JobRecordsService],
  exports: [JobRecordsService],
})
export class JobRoutesModule {}
