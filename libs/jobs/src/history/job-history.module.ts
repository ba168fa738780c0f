import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DatabaseModule } from '@app/database';
import { Job } from '../job.entity.js';
import { JobHistory } from './job-history.repository.js';
import { JobStats } from './job-stats.repository.js';
import { JobSums } from './job-sums.repository.js';

/** Looking back on jobs; apart from their life, so that a reader of it needs neither queue nor keys. */
@Module({
  imports: [DatabaseModule, TypeOrmModule.forFeature([Job])],
  providers: [JobHistory, JobStats, JobSums],
  exports: [JobHistory, JobStats, JobSums],
})
export class JobHistoryModule {}
