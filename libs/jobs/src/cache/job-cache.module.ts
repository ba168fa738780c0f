import { Module } from '@nestjs/common';
import { CacheEntryRepository } from './cache-entry.repository.js';
import { RevalidationRepository } from './revalidation.repository.js';
import { SharedFilesRepository } from './shared-files.repository.js';

/** Captures that answer for later ones. */
@Module({
  providers: [CacheEntryRepository, RevalidationRepository, SharedFilesRepository],
  exports: [CacheEntryRepository, RevalidationRepository, SharedFilesRepository],
})
export class JobCacheModule {}
