import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from '@app/database';

/** A charge: one capture that succeeded. */
export interface Charge {
  readonly jobId: string;
  readonly accountId: string;
  /** Of the allowance in which the capture was accepted, whenever it succeeded. */
  readonly period: string;
}

export interface Counter {
  readonly accountId: string;
  readonly period: string;
}

/** Entries that are folded in one transaction, which has the counter meanwhile. */
const FOLDED_AT_ONCE = 1_000;

/**
 * The ledger: one entry for each capture that succeeded, written in the transaction that makes it so, never changed.
 * At any instant a counter's `used` = its `folded` + its entries + the captures accepted in its period and not finished.
 */
@Injectable()
export class LedgerRepository {
  constructor(private readonly source: DataSource) {}

  /**
   * A second charge for a capture violates the primary key, and that is left to fail: whoever tries it has ended a
   * capture twice, and must neither be paid for it nor go unnoticed.
   */
  async add(transaction: Transaction, { jobId, accountId, period }: Charge): Promise<void> {
    await transaction.query(`INSERT INTO usage_ledger (job_id, account_id, period) VALUES ($1, $2, $3)`, [
      jobId,
      accountId,
      period,
    ]);
  }

  async addMissing(transaction: Transaction, { jobId, accountId, period }: Charge): Promise<void> {
    await transaction.query(
      `INSERT INTO usage_ledger (job_id, account_id, period) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
      [jobId, accountId, period],
    );
  }

  /** Adds to a counter what it is short of, or takes what it has too much; in a new row, if it has none. */
  async correct(transaction: Transaction, { accountId, period }: Counter, by: number): Promise<void> {
    await transaction.query(
      `INSERT INTO usage_counters AS counter (account_id, period, used) VALUES ($1, $2, greatest(0, $3::integer))
       ON CONFLICT (account_id, period) DO UPDATE SET used = counter.used + $3::integer`,
      [accountId, period, by],
    );
  }

  /** Counters with entries from before this time. */
  listAged(before: Date): Promise<Counter[]> {
    return this.source.query(
      `SELECT account_id AS "accountId", period FROM usage_counters counter
        WHERE EXISTS (SELECT FROM usage_ledger entry
                       WHERE entry.account_id = counter.account_id AND entry.period = counter.period AND entry.at < $1)`,
      [before],
    );
  }

  /** Some entries from before this time become a number in their counter; how many it were. */
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
