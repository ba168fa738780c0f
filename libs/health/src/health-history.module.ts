import { Module } from '@nestjs/common';
import { DatabaseModule } from '@app/database';
import { HealthHistoryRepository } from './health-history.repository.js';

@Module({
  imports: [DatabaseModule],
  providers: [HealthHistoryRepository],
  exports: [HealthHistoryRepository],
})
export class HealthHistoryModule {}
