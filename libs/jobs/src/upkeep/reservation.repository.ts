import { Injectable } from '@nestjs/common';
import type { Transaction } from '@app/database';
import { isChargedSql } from '@app/usage';

/** A succeeded capture without an entry in the ledger. */
export interface UnchargedJob {
  readonly jobId: string;
  readonly accountId: string;
  readonly period: string;
}

/** Reads the reservations and charges that the rows of jobs stand for. */
@Injectable()
export class ReservationRepository {
  /** Lists captures that succeeded with a visit in the last `withinS` seconds and were not charged. */
  listUncharged(transaction: Transaction, withinS: number): Promise<UnchargedJob[]> {
    return transaction.query(
      `SELECT id AS "jobId", account_id AS "accountId", usage_period AS period FROM jobs
        WHERE finished_at > now() - $1 * interval '1 s' AND status = 'succeeded'
          AND coalesce(origin_id, id) = id AND NOT ${isChargedSql('jobs.id')}`,
      [withinS],
    );
  }

  /** SQL that selects `(period, units)` of the account's unfinished jobs, each of which reserves one unit. */
  openReservations(this: void, accountId: string): string {
    return `SELECT usage_period, count(*) FROM jobs
             WHERE account_id = ${accountId} AND status IN ('queued', 'running') GROUP BY 1`;
  }
}
