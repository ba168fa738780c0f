import { Module } from '@nestjs/common';
import { DatabaseModule } from '@app/database';
import { WorkerRegistryModule } from '../workers/worker-registry.module.js';
import { JobModule } from '../job/job.module.js';
import { CacheDemandService } from './cache-demand.service.js';
import { CacheEntryRepository } from './cache-entry.repository.js';
import { CachedAnswerRepository } from './cached-answer.repository.js';
import { FollowerRepository } from './follower.repository.js';
import { JobCacheService } from './job-cache.service.js';
import { KeptCaptureRepository } from './kept-capture.repository.js';
import { SharedFilesRepository } from './shared-files.repository.js';

const PROVIDERS = [
  CacheDemandService,
  CacheEntryRepository,
  CachedAnswerRepository,
  FollowerRepository,
  JobCacheService,
  KeptCaptureRepository,
  SharedFilesRepository,
];

/**
 * Captures that answer for later ones. What only some processes do with them is built where they do it: SyncCacheService and
 * RenewalService by the acceptance, SettlementService by the upkeep.
 */
@Module({
  imports: [DatabaseModule, JobModule, WorkerRegistryModule],
  providers: PROVIDERS,
  exports: PROVIDERS,
})
export class JobCacheModule {}
