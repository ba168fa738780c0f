import { Injectable } from '@nestjs/common';
import { DatabaseService } from '@app/database';
import { LedgerService, UsageAuditRepository, type Difference } from '@app/usage';

/**
 * Compares the accounts with the rows of jobs and corrects differences, of which there should be none. An audit is one
 * transaction: if its process hangs and another one takes over, the first has changed nothing, and no difference is
 * corrected twice.
 */
@Injectable()
export class AccountingAuditService {
  constructor(
    private readonly database: DatabaseService,
    private readonly counters: UsageAuditRepository,
    private readonly ledger: LedgerService,
  ) {}

  /** Returns the differences that it has corrected, or null while another process audits. */
  run(): Promise<readonly Difference[] | null> {
    return this.database.tryLockedTransaction('account', async (transaction) => {
      const periods = this.ledger.currentPeriods();
      const differences = await this.counters.listDifferences(transaction, periods, openReservations);
      for (const { used, expected, ...counter } of differences) {
        await this.ledger.correct(transaction, counter, expected - used);
      }
      return differences;
    });
  }
}

/** SQL that selects `(period, units)` of the account's unfinished jobs, each of which reserves one unit. */
function openReservations(accountId: string): string {
  return `SELECT usage_period, count(*) FROM jobs
           WHERE account_id = ${accountId} AND status IN ('queued', 'running') GROUP BY 1`;
}
