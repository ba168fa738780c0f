import { Module } from '@nestjs/common';
import { JobHistoryModule, JobsModule } from '@app/jobs';
import { StorageModule } from '@app/storage';
import { Expiry } from './expiry.service.js';
import { Reconciler } from './reconciler.service.js';
import { Statistics } from './statistics.service.js';

/** Work that no caller asks for: mending, expiring, summing up. */
@Module({
  imports: [JobHistoryModule, JobsModule, StorageModule],
  providers: [Expiry, Reconciler, Statistics],
})
export class UpkeepModule {}
