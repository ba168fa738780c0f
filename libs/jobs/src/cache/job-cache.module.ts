import { Module } from '@nestjs/common';
import { CacheEntryRepository } from './cache-entry.repository.js';
import { SharedFilesRepository } from './shared-files.repository.js';

/** Captures that answer for later ones. */
@Module({
  providers: [CacheEntryRepository, SharedFilesRepository],
  exports: [CacheEntryRepository, SharedFilesRepository],
})
export class JobCacheModule {}
