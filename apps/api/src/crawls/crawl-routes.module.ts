import { Module } from '@nestjs/common';
import { DefaultOptionsModule } from '@app/capture';
import { CrawlsModule } from '@app/crawls';
import { JobBatchesModule } from '@app/jobs';
import { CaptureRoutesModule } from '../captures/capture-routes.module.js';
import { WebhookRoutesModule } from '../webhooks/webhook-routes.module.js';
import { CrawlDownloadsService } from './crawl-downloads.service.js';
import { CrawlRequestsService } from './crawl-requests.service.js';
import { CrawlsController } from './crawls.controller.js';

/** `/v1/crawls`. */
@Module({
  imports: [CaptureRoutesModule, CrawlsModule, DefaultOptionsModule, JobBatchesModule, WebhookRoutesModule],
  controllers: [CrawlsController],
  providers: [CrawlDownloadsService, CrawlRequestsService],
})
export class CrawlRoutesModule {}
