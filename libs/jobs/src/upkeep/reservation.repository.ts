import { Injectable } from '@nestjs/common';
import type { Transaction } from '@app/database';

/** A succeeded capture without an entry in the ledger. */
export interface Uncharged {
  readonly jobId: string;
  readonly accountId: string;
  readonly period: string;
}

/** A counter that is not what the ledger and the rows of jobs say. */
export interface Difference {
  readonly accountId: string;
  readonly period: string;
  readonly used: number;
  readonly expected: number;
}

/**
 * Compares the rows of jobs with the accounts of libs/usage. Each comparison is one statement, and so looks at one
 * instant, at which all transactions have happened as a whole or not at all: what it finds is not a matter of timing.
 */
@Injectable()
export class ReservationRepository {
  /** Captures that succeeded in the last `withinS`, which is what a process of an earlier version leaves uncharged. */
  listUncharged(transaction: Transaction, withinS: number): Promise<Uncharged[]> {
    return transaction.query(
      `SELECT id AS "jobId", account_id AS "accountId", usage_period AS period FROM jobs
        WHERE finished_at > now() - $1 * interval '1 s' AND status = 'succeeded'
          AND NOT EXISTS (SELECT FROM usage_ledger WHERE job_id = jobs.id)`,
      [withinS],
    );
  }

  /** The counters of these periods that are not their entries and reservations, by account. */
  listDifferences(transaction: Transaction, periods: readonly string[]): Promise<Difference[]> {
    return transaction.query(
      `WITH open AS MATERIALIZED (
         SELECT account.id AS account_id, unfinished.* FROM accounts account
          CROSS JOIN LATERAL (
            SELECT usage_period AS period, count(*) AS jobs FROM jobs
             WHERE account_id = account.id AND status IN ('queued', 'running') GROUP BY 1) AS unfinished),
       compared AS (
         SELECT account.id AS "accountId", current.period, coalesce(counter.used, 0) AS used,
                (coalesce(counter.folded, 0) + entries.count + coalesce(open.jobs, 0))::int AS expected
           FROM accounts account
          CROSS JOIN unnest($1::text[]) AS current (period)
          CROSS JOIN LATERAL (
            SELECT count(*) FROM usage_ledger entry
             WHERE entry.account_id = account.id AND entry.period = current.period) AS entries
           LEFT JOIN usage_counters counter ON counter.account_id = account.id AND counter.period = current.period
           LEFT JOIN open ON open.account_id = account.id AND open.period = current.period)
       SELECT * FROM compared WHERE used <> expected ORDER BY "accountId", period`,
      [periods],
    );
  }
}
