import { Module } from '@nestjs/common';
import { JobsModule } from '@app/jobs';
import { StorageModule } from '@app/storage';
import { Expiry } from './expiry.service.js';
import { Reconciler } from './reconciler.service.js';

@Module({ imports: [JobsModule, StorageModule], providers: [Expiry, Reconciler] })
export class UpkeepModule {}
