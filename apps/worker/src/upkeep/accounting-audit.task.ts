import { Injectable, Logger } from '@nestjs/common';
import { AccountingAuditService } from '@app/jobs';
import { LedgerService } from '@app/usage';
import type { PeriodicTask } from './periodic-task.js';

/** Compares the counters of accounts with the ledger, and keeps the ledger from growing without bound. */
@Injectable()
export class AccountingAuditTask implements PeriodicTask {
  readonly name = 'accounting';
  readonly periodMs = 600_000;
  private readonly logger = new Logger(AccountingAuditTask.name);

  constructor(
    private readonly audit: AccountingAuditService,
    private readonly ledger: LedgerService,
  ) {}

  async run(signal: AbortSignal): Promise<void> {
    const differences = await this.audit.run();
    // Another worker is at it.
    if (!differences) return;
    for (const { accountId, period, used, expected } of differences) {
      const line = { account: accountId, period, used, expected };
      this.logger.error(
        line,
        'a counter differed from the ledger and the captures in progress; it is corrected',
      );
    }
    await this.ledger.fold(signal);
  }
}
