import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Clock, SystemClock } from '@app/kernel';
import { DatabaseModule } from '@app/database';
import { Account } from './account.entity.js';
import { AccountRepository } from './account.repository.js';
import { AccountsService } from './accounts.service.js';
import { UsageRepository } from './usage.repository.js';
import { UsageService } from './usage.service.js';

@Module({
  imports: [DatabaseModule, TypeOrmModule.forFeature([Account])],
  providers: [
    AccountRepository,
    AccountsService,
    UsageRepository,
    UsageService,
    { provide: Clock, useClass: SystemClock },
  ],
  exports: [AccountsService, UsageService],
})
export class UsageModule {}
