import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { BatchFeedModule, BulkModule } from '@app/bulk';
import { Env, secretBoxOf } from '@app/config';
import { DatabaseModule } from '@app/database';
import { JobAcceptanceModule } from '@app/jobs';
import { SecretBox } from '@app/kernel';
import { CrawlCancellationService } from './crawl-cancellation.service.js';
import { CrawlPageRepository } from './crawl-page.repository.js';
import { CrawlRecordsService } from './crawl-records.service.js';
import { Crawl } from './crawl.entity.js';
import { CrawlRepository } from './crawl.repository.js';
import { CrawlsService } from './crawls.service.js';

/** What callers do with crawls. */
@Module({
  imports: [
    BatchFeedModule,
    BulkModule,
    DatabaseModule,
    JobAcceptanceModule,
    TypeOrmModule.forFeature([Crawl]),
  ],
  providers: [
    CrawlCancellationService,
    CrawlPageRepository,
    CrawlRecordsService,
    CrawlRepository,
    CrawlsService,
    { provide: SecretBox, inject: [Env], useFactory: secretBoxOf },
  ],
  exports: [CrawlCancellationService, CrawlRecordsService, CrawlsService],
})
export class CrawlsModule {}
