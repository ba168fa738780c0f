import { Injectable } from '@nestjs/common';
import { DatabaseService } from '@app/database';
import { LedgerService } from '@app/usage';
import { ReservationRepository, type Difference, type Uncharged } from './reservation.repository.js';

/** Beyond the time between two audits: while processes of an earlier version may still be ending captures. */
const LOOKS_BACK_S = 3_600;

/** What an audit found and mended. */
export interface Findings {
  readonly uncharged: readonly Uncharged[];
  readonly differences: readonly Difference[];
}

/**
 * Compares the accounts with the rows of jobs, and mends what differs. Nothing ever should. In one transaction, so that one
 * that stands still in the middle has done nothing when another takes its place: what it found is mended once.
 */
@Injectable()
export class AccountingAuditService {
  constructor(
    private readonly database: DatabaseService,
    private readonly reservations: ReservationRepository,
    private readonly ledger: LedgerService,
  ) {}

  /** Null while another process is at it. */
  run(): Promise<Findings | null> {
    return this.database.tryLockedTransaction('account', async (transaction) => {
      // First, or the captures would be taken off their counters.
      const uncharged = await this.reservations.listUncharged(transaction, LOOKS_BACK_S);
      for (const charge of uncharged) await this.ledger.charge(transaction, charge);
      const periods = this.ledger.currentPeriods();
      const differences = await this.reservations.listDifferences(transaction, periods);
      for (const { used, expected, ...counter } of differences) {
        await this.ledger.correct(transaction, counter, expected - used);
      }
      return { uncharged, differences };
    });
  }
}
