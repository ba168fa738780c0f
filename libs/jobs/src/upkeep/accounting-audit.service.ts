import { Injectable } from '@nestjs/common';
import { DatabaseService } from '@app/database';
import { LedgerService, UsageAuditRepository, type Difference } from '@app/usage';
import { ReservationRepository, type UnchargedJob } from './reservation.repository.js';

/** Longer than the time between two audits, for processes of an earlier version that may still end captures. */
const LOOKBACK_S = 3_600;

/** What an audit found and corrected. */
export interface Findings {
  readonly uncharged: readonly UnchargedJob[];
  readonly differences: readonly Difference[];
}

/**
 * Compares the accounts with the rows of jobs and corrects differences, of which there should be none. An audit is one
 * transaction: if its process hangs and another one takes over, the first has changed nothing, and no difference is
 * corrected twice.
 */
@Injectable()
export class AccountingAuditService {
  constructor(
    private readonly database: DatabaseService,
    private readonly reservations: ReservationRepository,
    private readonly counters: UsageAuditRepository,
    private readonly ledger: LedgerService,
  ) {}

  /** Returns null while another process audits. */
  run(): Promise<Findings | null> {
    return this.database.tryLockedTransaction('account', async (transaction) => {
      // Before the counters are compared, which would otherwise give the units of these captures back.
      const uncharged = await this.reservations.listUncharged(transaction, LOOKBACK_S);
      for (const charge of uncharged) await this.ledger.charge(transaction, charge);
      const periods = this.ledger.currentPeriods();
      const { openReservations } = this.reservations;
      const differences = await this.counters.listDifferences(transaction, periods, openReservations);
      for (const { used, expected, ...counter } of differences) {
        await this.ledger.correct(transaction, counter, expected - used);
      }
      return { uncharged, differences };
    });
  }
}
