import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DatabaseModule } from '@app/database';
import { Job } from '../job/job.entity.js';
import { JobExpiryRepository } from './job-expiry.repository.js';

/** The end of what jobs leave; apart from their life, as their history is. */
@Module({
  imports: [DatabaseModule, TypeOrmModule.forFeature([Job])],
  providers: [JobExpiryRepository],
  exports: [JobExpiryRepository],
})
export class JobExpiryModule {}
