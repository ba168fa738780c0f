import { join } from 'node:path';
import { Module } from '@nestjs/common';
import { Env } from '@app/config';
import { DiskStorage } from './disk.storage.js';
import { s3SettingsOf } from './s3-settings.js';
import { Storage } from './storage.js';

/** Provides the `Storage` that the environment selects. */
@Module({
  providers: [
    {
      provide: Storage,
      inject: [Env],
      useFactory: storageOf,
    },
  ],
  exports: [Storage],
})
export class StorageModule {}

async function storageOf(env: Env): Promise<Storage> {
  const s3 = s3SettingsOf(env);
  if (!s3) return new DiskStorage(env.FILES_DIR ?? join(env.DATA_DIR, 'files'));
  // Imported on demand: the SDK would be the largest part of the code of a process (60 ms of its start).
  const { S3Storage } = await import('./s3.storage.js');
  return new S3Storage(s3);
}
