import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { BatchFeedModule } from '@app/bulk';
import { DefaultOptionsModule } from '@app/capture';
import { Env, secretBoxOf } from '@app/config';
import { DatabaseModule } from '@app/database';
import { JobBatchesModule } from '@app/jobs';
import { SecretBox } from '@app/kernel';
import { OutboundModule } from '@app/outbound';
import { Crawl } from './crawl.entity.js';
import { CrawlRepository } from './crawl.repository.js';
import { RobotsRepository } from './discovery/robots.repository.js';
import { RobotsService } from './discovery/robots.service.js';
import { SiteFetchService } from './discovery/site-fetch.service.js';
import { SitemapsService } from './discovery/sitemaps.service.js';
import { CandidatesService } from './running/candidates.service.js';
import { CrawlLeaseRepository } from './running/crawl-lease.repository.js';
import { CrawlOptionsService } from './running/crawl-options.service.js';
import { CrawlRunnerService } from './running/crawl-runner.service.js';
import { CrawlStepService } from './running/crawl-step.service.js';
import { CrawlWorkService } from './running/crawl-work.service.js';
import { DiscoveryService } from './running/discovery.service.js';
import { FeedingService } from './running/feeding.service.js';
import { FrontierRepository } from './running/frontier.repository.js';
import { FrontierService } from './running/frontier.service.js';
import { ReadingService } from './running/reading.service.js';

/** The work on crawls: finding pages, and having them captured. Any process may do it. */
@Module({
  imports: [
    BatchFeedModule,
    DatabaseModule,
    DefaultOptionsModule,
    JobBatchesModule,
    OutboundModule,
    TypeOrmModule.forFeature([Crawl]),
  ],
  providers: [
    CandidatesService,
    CrawlLeaseRepository,
    CrawlOptionsService,
    CrawlRepository,
    CrawlRunnerService,
    CrawlStepService,
    CrawlWorkService,
    DiscoveryService,
    FeedingService,
    FrontierRepository,
    FrontierService,
    ReadingService,
    RobotsRepository,
    RobotsService,
    SiteFetchService,
    SitemapsService,
    { provide: SecretBox, inject: [Env], useFactory: secretBoxOf },
  ],
  exports: [CrawlRepository, CrawlRunnerService],
})
export class CrawlRunningModule {}
