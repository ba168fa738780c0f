import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '@app/audit';
import { DatabaseModule } from '@app/database';
import { WebhooksModule } from '@app/webhooks';
import { Account } from './account.entity.js';
import { AccountLimitsService } from './account-limits.service.js';
import { AccountRepository } from './account.repository.js';
import { AccountsService } from './accounts.service.js';
import { LedgerRepository } from './ledger.repository.js';
import { LedgerService } from './ledger.service.js';
import { SlotRepository } from './slot.repository.js';
import { UsageAuditRepository } from './usage-audit.repository.js';
import { UsageRepository } from './usage.repository.js';
import { UsageService } from './usage.service.js';

@Module({
  imports: [AuditModule, DatabaseModule, WebhooksModule, TypeOrmModule.forFeature([Account])],
  providers: [
    AccountLimitsService,
    AccountRepository,
    AccountsService,
    LedgerService,
    LedgerRepository,
    SlotRepository,
    UsageAuditRepository,
    UsageRepository,
    UsageService,
  ],
  exports: [AccountLimitsService, AccountsService, LedgerService, UsageAuditRepository, UsageService],
})
export class UsageModule {}
