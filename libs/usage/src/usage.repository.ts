import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from '@app/database';

/** One account's reading of its counters. */
export interface UsageReading {
  readonly total: number;
  readonly used: number;
  readonly limit: number;
  readonly inProgress: number;
  /** When the last slot held now is free at the latest; null when none is held. */
  readonly freeAt: Date | null;
}

@Injectable()
export class UsageRepository {
  constructor(private readonly source: DataSource) {}

  /**
   * Takes one unit of the account's allowance; returns the period it was taken from, or null when none is left.
   * The counter's row lock is held until the transaction ends and so puts the acceptances of one account in order.
   */
  async takeUnit(transaction: Transaction, accountId: string, month: string): Promise<string | null> {
    const rows: { period: string }[] = await transaction.query(
      `INSERT INTO usage_counters AS counter (account_id, period, used)
       SELECT id, CASE allowance_period WHEN 'month' THEN $2 ELSE 'ever' END, 1
         FROM accounts WHERE id = $1 AND allowance > 0
       ON CONFLICT (account_id, period) DO UPDATE SET used = counter.used + 1
         WHERE counter.used < (SELECT allowance FROM accounts WHERE id = $1)
       RETURNING period`,
      [accountId, month],
    );
    return rows[0]?.period ?? null;
  }

  async giveUnitBack(transaction: Transaction, accountId: string, period: string): Promise<void> {
    await transaction.query(
      `UPDATE usage_counters SET used = used - 1 WHERE account_id = $1 AND period = $2`,
      [accountId, period],
    );
  }

  /** Whether the account had a free slot, which the job now holds for `holdMs` at the most. */
  async takeSlot(
    transaction: Transaction,
    slot: { accountId: string; jobId: string; holdMs: number },
  ): Promise<boolean> {
    const rows: unknown[] = await transaction.query(
      `INSERT INTO concurrency_slots (job_id, account_id, held_until)
       SELECT $2, id, now() + $3 * interval '1 ms' FROM accounts
        WHERE id = $1 AND concurrency > (
          SELECT count(*) FROM concurrency_slots WHERE account_id = $1 AND held_until > now())
       RETURNING job_id`,
      [slot.accountId, slot.jobId, slot.holdMs],
    );
    return rows.length > 0;
  }

  async freeSlot(transaction: Transaction, jobId: string): Promise<void> {
    await transaction.query(`DELETE FROM concurrency_slots WHERE job_id = $1`, [jobId]);
  }

  async read(accountId: string, month: string): Promise<UsageReading | null> {
    const rows: UsageReading[] = await this.source.query(
      `SELECT account.allowance AS total,
              coalesce(counter.used, 0) AS used,
              account.concurrency AS "limit",
              slots.held::int AS "inProgress",
              slots.free_at AS "freeAt"
         FROM accounts account
         LEFT JOIN usage_counters counter ON counter.account_id = account.id
          AND counter.period = CASE account.allowance_period WHEN 'month' THEN $2 ELSE 'ever' END
        CROSS JOIN LATERAL (
          SELECT count(*) AS held, max(held_until) AS free_at FROM concurrency_slots
           WHERE account_id = account.id AND held_until > now()) slots
        WHERE account.id = $1`,
      [accountId, month],
    );
    return rows[0] ?? null;
  }
}
