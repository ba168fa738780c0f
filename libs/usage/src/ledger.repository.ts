import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from '@app/database';

/** The charge for a capture that succeeded. */
export interface Charge {
  readonly jobId: string;
  readonly accountId: string;
  /** The period in which the capture was accepted, whenever it succeeded. */
  readonly period: string;
}

export interface Counter {
  readonly accountId: string;
  readonly period: string;
}

/** Entries that one transaction folds, while it locks the counter. */
const FOLDED_AT_ONCE = 1_000;

/**
 * The ledger: one entry for each capture that succeeded, written in the transaction that ends the capture, never changed.
 * At any instant the `used` of a counter = its `folded` + its entries + the unfinished captures accepted in its period.
 */
@Injectable()
export class LedgerRepository {
  constructor(private readonly source: DataSource) {}

  /**
   * A second charge for a capture fails, because it violates the primary key: its transaction has ended a capture twice,
   * which must neither be charged nor go unnoticed.
   */
  async add(transaction: Transaction, { jobId, accountId, period }: Charge): Promise<void> {
    await transaction.query(`INSERT INTO usage_ledger (job_id, account_id, period) VALUES ($1, $2, $3)`, [
      jobId,
      accountId,
      period,
    ]);
  }

  /** Adds the difference `by`, which may be negative, to a counter. Inserts the counter if it does not exist. */
  async correct(transaction: Transaction, { accountId, period }: Counter, by: number): Promise<void> {
    await transaction.query(
      `INSERT INTO usage_counters AS counter (account_id, period, used) VALUES ($1, $2, greatest(0, $3::integer))
       ON CONFLICT (account_id, period) DO UPDATE SET used = counter.used + $3::integer`,
      [accountId, period, by],
    );
  }

  /** Counters with entries older than this. */
  listAged(before: Date): Promise<Counter[]> {
    return this.source.query(
      `SELECT account_id AS "accountId", period FROM usage_counters counter
        WHERE EXISTS (SELECT FROM usage_ledger entry
                       WHERE entry.account_id = counter.account_id AND entry.period = counter.period AND entry.at < $1)`,
      [before],
    );
  }

  /** Replaces some entries older than this by a number in their counter. Returns how many. */
  async fold({ accountId, period }: Counter, before: Date): Promise<number> {
    const [[folded]]: [{ entries: number }[], number] = await this.source.query(
      `WITH aged AS (
         DELETE FROM usage_ledger WHERE job_id IN (
           SELECT job_id FROM usage_ledger WHERE account_id = $1 AND period = $2 AND at < $3 ORDER BY at LIMIT $4)
         RETURNING job_id)
       UPDATE usage_counters SET folded = folded + aged.entries FROM (SELECT count(*)::int AS entries FROM aged) AS aged
        WHERE account_id = $1 AND period = $2
       RETURNING aged.entries`,
      [accountId, period, before, FOLDED_AT_ONCE],
    );
    return folded?.entries ?? 0;
  }
}
