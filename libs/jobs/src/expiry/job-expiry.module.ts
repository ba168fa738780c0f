import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DatabaseModule } from '@app/database';
import { Job } from '../job.entity.js';
import { JobExpiry } from './job-expiry.repository.js';

/** The end of what jobs leave; apart from their life, as their history is. */
@Module({
  imports: [DatabaseModule, TypeOrmModule.forFeature([Job])],
  providers: [JobExpiry],
  exports: [JobExpiry],
})
export class JobExpiryModule {}
