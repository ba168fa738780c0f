import { Module } from '@nestjs/common';
import { DefaultOptionsModule } from '@app/capture';
import { JobAcceptanceModule, JobsModule } from '@app/jobs';
import { CaptureRoutesModule } from '../captures/capture-routes.module.js';
import { HttpModule } from '../http/http.module.js';
import { JobRoutesModule } from '../jobs/job-routes.module.js';
import { ApiMetricsModule } from '../metrics/api-metrics.module.js';
import { SyncAnswerService } from './sync-answer.service.js';
import { SyncCaptureController } from './sync-capture.controller.js';
import { DEFAULT_WAIT_LIMITS, SyncCapturesService, WAIT_LIMITS } from './sync-captures.service.js';

/** `POST /v1/capture`: captures whose callers wait for the file. */
@Module({
  imports: [
    ApiMetricsModule,
    CaptureRoutesModule,
    DefaultOptionsModule,
    HttpModule,
    JobAcceptanceModule,
    JobRoutesModule,
    JobsModule,
  ],
  controllers: [SyncCaptureController],
  providers: [
    SyncAnswerService,
    SyncCapturesService,
    { provide: WAIT_LIMITS, useValue: DEFAULT_WAIT_LIMITS },
  ],
  exports: [SyncAnswerService],
})
export class SyncRoutesModule {}
