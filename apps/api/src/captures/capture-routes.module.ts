import { Module } from '@nestjs/common';
import { JobDeletionModule, JobExpiryModule, JobHistoryModule, JobsModule } from '@app/jobs';
import { StorageModule } from '@app/storage';
import { CaptureDeletionService } from './capture-deletion.service.js';
import { CaptureFileService } from './capture-file.service.js';
import { CapturesController } from './captures.controller.js';

/** `/v1/captures`: the history of all captures, and their files. */
@Module({
  imports: [JobDeletionModule, JobExpiryModule, JobHistoryModule, JobsModule, StorageModule],
  controllers: [CapturesController],
  providers: [CaptureDeletionService, CaptureFileService],
  exports: [CaptureFileService],
})
export class CaptureRoutesModule {}
