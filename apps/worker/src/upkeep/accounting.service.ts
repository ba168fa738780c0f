import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { AccountingAuditService, type Findings } from '@app/jobs';
import { LedgerService } from '@app/usage';
import { Rounds } from './rounds.js';

const PERIOD_MS = 600_000;

/** Checks the accounts, and keeps the ledger from growing for ever. Each worker does so. */
@Injectable()
export class Accounting implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(Accounting.name);
  private readonly rounds = new Rounds(Accounting.name, PERIOD_MS, (signal) => this.round(signal));

  constructor(
    private readonly audit: AccountingAuditService,
    private readonly ledger: LedgerService,
  ) {}

  onModuleInit(): void {
    this.rounds.start();
  }

  onApplicationShutdown(): Promise<void> {
    return this.rounds.stop();
  }

  private async round(signal: AbortSignal): Promise<void> {
    const findings = await this.audit.run();
    if (!findings) return;
    this.report(findings);
    await this.ledger.fold(signal);
  }

  private report({ uncharged, differences }: Findings): void {
    for (const { jobId, accountId, period } of uncharged) {
      const line = { job_id: jobId, account: accountId, period };
      this.logger.error(line, 'a succeeded capture had no entry in the ledger; it has one now');
    }
    for (const { accountId, period, used, expected } of differences) {
      const line = { account: accountId, period, used, expected };
      this.logger.error(
        line,
        'a counter differed from the ledger and the captures in progress; it is corrected',
      );
    }
  }
}
