import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DatabaseModule } from '@app/database';
import { Job } from '../job/job.entity.js';
import { JobHistoryRepository } from './job-history.repository.js';
import { JobStatsRepository } from './job-stats.repository.js';
import { JobSumsRepository } from './job-sums.repository.js';

/** Lists and statistics of jobs; separate from the other phases, so that it needs neither the queue nor secrets. */
@Module({
  imports: [DatabaseModule, TypeOrmModule.forFeature([Job])],
  providers: [JobHistoryRepository, JobStatsRepository, JobSumsRepository],
  exports: [JobHistoryRepository, JobStatsRepository, JobSumsRepository],
})
export class JobHistoryModule {}
