import { Module } from '@nestjs/common';
import { CacheEntryRepository } from './cache-entry.repository.js';

/** Captures that answer for later ones. */
@Module({
  providers: [CacheEntryRepository],
  exports: [CacheEntryRepository],
})
export class JobCacheModule {}
