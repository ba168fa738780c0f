import { Injectable } from '@nestjs/common';
import type { Transaction } from '@app/database';
import { Clock } from '@app/kernel';
import { LedgerRepository, type Charge, type Counter } from './ledger.repository.js';
import { monthOf, monthsBefore } from './month.js';

/** Entries are kept until their period has been over for so long. Those of an allowance for ever: as those of a month. */
const KEPT_MONTHS = 13;

/** The upkeep of the ledger and the counters. */
@Injectable()
export class LedgerService {
  constructor(
    private readonly repository: LedgerRepository,
    private readonly clock: Clock,
  ) {}

  /** The periods that captures are accepted in, or end in, these days. */
  currentPeriods(): string[] {
    const now = this.clock.now();
    return ['ever', monthOf(monthsBefore(now, 1)), monthOf(now)];
  }

  /** Adds an entry that is missing. */
  charge(transaction: Transaction, charge: Charge): Promise<void> {
    return this.repository.addMissing(transaction, charge);
  }

  /**
   * Brings a counter to what its entries and reservations say. The difference, not the value, is written: every
   * transaction of ours leaves the difference as it is, so it may have been read at any instant before, and what is
   * reserved and given back meanwhile is kept. Only another correction does not leave it so: they come one at a time, and
   * in the order of the accounts.
   */
  correct(transaction: Transaction, counter: Counter, by: number): Promise<void> {
    return this.repository.correct(transaction, counter, by);
  }

  /** Turns entries that are no longer kept into numbers of their counters. */
  async fold(signal: AbortSignal): Promise<void> {
    const before = monthsBefore(this.clock.now(), KEPT_MONTHS);
    for (const counter of await this.repository.listAged(before)) {
      while (!signal.aborted && (await this.repository.fold(counter, before)) > 0);
    }
  }
}
