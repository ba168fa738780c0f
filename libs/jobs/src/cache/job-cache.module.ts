import { Module } from '@nestjs/common';
import { WorkerRegistryModule } from '../workers/worker-registry.module.js';
import { JobModule } from '../job/job.module.js';
import { CacheDemandService } from './cache-demand.service.js';
import { CacheElectionService } from './cache-election.service.js';
import { CacheEntryRepository } from './cache-entry.repository.js';
import { CachedAnswerRepository } from './cached-answer.repository.js';
import { RevalidationRepository } from './revalidation.repository.js';
import { SharedFilesRepository } from './shared-files.repository.js';

/** Captures that answer for later ones. */
@Module({
  imports: [JobModule, WorkerRegistryModule],
  providers: [
    CacheDemandService,
    CacheElectionService,
    CacheEntryRepository,
    CachedAnswerRepository,
    RevalidationRepository,
    SharedFilesRepository,
  ],
  exports: [
    CacheDemandService,
    CacheElectionService,
    CacheEntryRepository,
    CachedAnswerRepository,
    RevalidationRepository,
    SharedFilesRepository,
  ],
})
export class JobCacheModule {}
