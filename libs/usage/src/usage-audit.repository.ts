import { Injectable } from '@nestjs/common';
import type { Transaction } from '@app/database';

/** A counter that differs from the ledger and the open reservations. */
export interface Difference {
  readonly accountId: string;
  readonly period: string;
  readonly used: number;
  readonly expected: number;
}

/** SQL that selects `(period, units)` of the open reservations of an account, given an SQL expression of its id. */
export type OpenReservations = (accountId: string) => string;

/**
 * Compares the counters with what they count. The comparison is one statement, and so sees one instant, at which each
 * transaction has happened as a whole or not at all: its result does not depend on timing.
 */
@Injectable()
export class UsageAuditRepository {
  /** Lists the counters of these periods that differ from their entries and reservations, by account. */
  listDifferences(
    transaction: Transaction,
    periods: readonly string[],
    openReservations: OpenReservations,
  ): Promise<Difference[]> {
    return transaction.query(
      `WITH open AS MATERIALIZED (
         SELECT account.id AS account_id, reserved.* FROM accounts account
          CROSS JOIN LATERAL (${openReservations('account.id')}) AS reserved (period, units)),
       compared AS (
         SELECT account.id AS "accountId", current.period, coalesce(counter.used, 0) AS used,
                (coalesce(counter.folded, 0) + entries.count + coalesce(open.units, 0))::int AS expected
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

/** SQL that selects the ids of all accounts. */
export const ALL_ACCOUNT_IDS = 'SELECT id FROM accounts';
