import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DatabaseModule } from '@app/database';
import { Job } from '../job/job.entity.js';
import { JobHistoryRepository } from './job-history.repository.js';
import { JobStatsRepository } from './job-stats.repository.js';
import { JobSumsRepository } from './job-sums.repository.js';

/** Looking back on jobs; apart from their life, so that a reader of it needs neither queue nor keys. */
@Module({
  imports: [DatabaseModule, TypeOrmModule.forFeature([Job])],
  providers: [JobHistoryRepository, JobStatsRepository, JobSumsRepository],
  exports: [JobHistoryRepository, JobStatsRepository, JobSumsRepository],
})
export class JobHistoryModule {}
