import { Module } from '@nestjs/common';
import {
  JobCacheModule,
  JobDeletionModule,
  JobExpiryModule,
  JobHistoryModule,
  JobModule,
  JobSignalsModule,
  JobsModule,
} from '@app/jobs';
import { StorageModule } from '@app/storage';
import { HttpModule } from '../http/http.module.js';
import { ArchiveService } from './archive.service.js';
import { CaptureArchiveService } from './capture-archive.service.js';
import { CaptureDeletionService } from './capture-deletion.service.js';
import { CaptureFileService } from './capture-file.service.js';
import { CaptureFilesController } from './capture-files.controller.js';
import { CaptureThumbnailService } from './capture-thumbnail.service.js';
import { CapturesController } from './captures.controller.js';
import { LinkedFilesController } from './linked-files.controller.js';
import { LostFilesService } from './lost-files.service.js';
import { RecentFilesService } from './recent-files.service.js';
import { ThumbnailsService } from './thumbnails.service.js';

/** `/v1/captures`: the history of all captures, and their files; `/v1/files`: files by signed links. */
@Module({
  imports: [
    HttpModule,
    JobCacheModule,
    JobDeletionModule,
    JobExpiryModule,
    JobHistoryModule,
    JobModule,
    JobSignalsModule,
    JobsModule,
    StorageModule,
  ],
  controllers: [CapturesController, CaptureFilesController, LinkedFilesController],
  providers: [
    ArchiveService,
    CaptureArchiveService,
    CaptureDeletionService,
    CaptureFileService,
    CaptureThumbnailService,
    LostFilesService,
    RecentFilesService,
    ThumbnailsService,
  ],
  exports: [ArchiveService, CaptureArchiveService, CaptureFileService],
})
export class CaptureRoutesModule {}
