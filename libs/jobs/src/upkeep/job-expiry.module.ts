import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DatabaseModule } from '@app/database';
import { JobCacheModule } from '../cache/job-cache.module.js';
import { Job } from '../job/job.entity.js';
import { JobExpiryRepository } from './job-expiry.repository.js';

/** The expiry of files and records; separate from the other phases, so that it needs neither the queue nor secrets. */
@Module({
  imports: [DatabaseModule, JobCacheModule, TypeOrmModule.forFeature([Job])],
  providers: [JobExpiryRepository],
  exports: [JobExpiryRepository],
})
export class JobExpiryModule {}
