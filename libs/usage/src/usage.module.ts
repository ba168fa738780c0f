import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DatabaseModule } from '@app/database';
import { WebhooksModule } from '@app/webhooks';
import { Account } from './account.entity.js';
import { AccountRepository } from './account.repository.js';
import { AccountsService } from './accounts.service.js';
import { LedgerRepository } from './ledger.repository.js';
import { LedgerService } from './ledger.service.js';
import { SlotRepository } from './slot.repository.js';
import { UsageAuditRepository } from './usage-audit.repository.js';
import { UsageRepository } from './usage.repository.js';
import { UsageService } from './usage.service.js';

@Module({
  imports: [DatabaseModule, WebhooksModule, TypeOrmModule.forFeature([Account])],
  providers: [
    AccountRepository,
    AccountsService,
    LedgerService,
    LedgerRepository,
    SlotRepository,
    UsageAuditRepository,
    UsageRepository,
    UsageService,
  ],
  exports: [AccountsService, LedgerService, UsageAuditRepository, UsageService],
})
export class UsageModule {}
