import { Module } from '@nestjs/common';
import { JobHistoryModule, JobsModule } from '@app/jobs';
import { Clock, SystemClock } from '@app/kernel';
import { StorageModule } from '@app/storage';
import { JobRecords } from '../jobs/job-records.service.js';
import { JobsController } from '../jobs/jobs.controller.js';
import { CaptureAnswer } from './capture-answer.service.js';
import { CaptureController } from './capture.controller.js';
import { CapturesController } from './captures.controller.js';
import { FileSender } from './file-sender.service.js';
import { SyncCaptures } from './sync-captures.service.js';

/** Captures and jobs: two views of the same rows. */
@Module({
  imports: [JobHistoryModule, JobsModule, StorageModule],
  controllers: [CaptureController, CapturesController, JobsController],
  providers: [CaptureAnswer, FileSender, JobRecords, SyncCaptures, { provide: Clock, useClass: SystemClock }],
  exports: [SyncCaptures],
})
export class CapturesModule {}
