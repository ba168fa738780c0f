import { join } from 'node:path';
import { Module } from '@nestjs/common';
import { Env } from '@app/config';
import { DiskStorage } from './disk.storage.js';
import { Storage } from './storage.js';

/** Gives the `Storage` of the environment. */
@Module({
  providers: [
    {
      provide: Storage,
      inject: [Env],
      useFactory: (env: Env) => new DiskStorage(env.FILES_DIR ?? join(env.DATA_DIR, 'files')),
    },
  ],
  exports: [Storage],
})
export class StorageModule {}
