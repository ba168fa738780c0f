import { Module } from '@nestjs/common';
import { BulkModule } from '@app/bulk';
import { BatchDownloadController } from './batch-download.controller.js';
import { ResultsSender } from './results-sender.service.js';

/** The routes of batches. */
@Module({ imports: [BulkModule], controllers: [BatchDownloadController], providers: [ResultsSender] })
export class BatchesModule {}
