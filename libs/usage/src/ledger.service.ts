import { Injectable } from '@nestjs/common';
import type { Transaction } from '@app/database';
import { Clock } from '@app/kernel';
import { LedgerRepository, type Counter } from './ledger.repository.js';
import { monthOf, monthsBefore } from './allowance.js';

/** Entries are kept for this long after the end of their month, also those of an allowance that never renews. */
const KEPT_MONTHS = 13;

/** Maintains the ledger and the counters. */
@Injectable()
export class LedgerService {
  constructor(
    private readonly repository: LedgerRepository,
    private readonly clock: Clock,
  ) {}

  /** The periods of the captures that are accepted now, or still unfinished. */
  currentPeriods(): string[] {
    const now = this.clock.now();
    return ['ever', monthOf(monthsBefore(now, 1)), monthOf(now)];
  }

  /**
   * Corrects a counter by the difference to its entries and reservations. It writes the difference rather than the value,
   * because no other transaction changes the difference: it may have been read at any earlier instant, and units that
   * were reserved or released since then stay counted. Only another correction would change it, so corrections run one at
   * a time, in the order of the accounts.
   */
  correct(transaction: Transaction, counter: Counter, by: number): Promise<void> {
    return this.repository.correct(transaction, counter, by);
  }

  /** Folds entries that are no longer kept into numbers of their counters. */
  async fold(signal: AbortSignal): Promise<void> {
    const before = monthsBefore(this.clock.now(), KEPT_MONTHS);
    for (const counter of await this.repository.listAged(before)) {
      while (!signal.aborted && (await this.repository.fold(counter, before)) > 0);
    }
  }
}
