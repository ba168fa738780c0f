import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { LOCKS, type Transaction } from '@app/database';
import type { Job } from '../job.entity.js';
import type { Load, Waiting } from './fair-pick.js';

/**
 * Rows of one account that a round looks at when the hosts of the first ones are busy: as many as the largest batch has,
 * so that a batch of one site does not stand before everything that its account brings after it.
 */
const LOOK_AHEAD = 10_000;

/** As the partial index jobs_waiting has it. */
const WAITING = `status = 'queued' AND dispatched_at IS NULL`;

export type WaitingJob = Waiting & Pick<Job, 'timeoutMs'>;
export type DispatchedJob = Pick<Job, 'id' | 'source' | 'attempt'>;

/**
 * The rows of jobs as the dispatcher sees them. What it asks costs as much as there are accounts with waiting jobs and
 * jobs in flight, however many wait.
 */
@Injectable()
export class DispatchRepository {
  constructor(private readonly source: DataSource) {}

  async isAnyWaiting(): Promise<boolean> {
    // Ordered, or it would look for the first such row among all rows that have ended.
    const rows: unknown[] = await this.source.query(
      `SELECT FROM jobs WHERE ${WAITING} ORDER BY account_id LIMIT 1`,
    );
    return rows.length > 0;
  }

  /** Whether this transaction is the only one that dispatches until it ends. */
  async lead(transaction: Transaction): Promise<boolean> {
    const [row]: [{ leads: boolean }] = await transaction.query(
      `SELECT pg_try_advisory_xact_lock($1) AS leads`,
      [LOCKS.dispatch],
    );
    return row.leads;
  }

  /** Background jobs that the queue or a worker has. */
  async countInFlight(transaction: Transaction): Promise<Load[]> {
    return transaction.query(
      `SELECT account_id AS "accountId", host, count(*)::int AS jobs FROM jobs
        WHERE status IN ('queued', 'running') AND dispatched_at IS NOT NULL AND source <> 'sync'
        GROUP BY account_id, host`,
    );
  }

  /** Goes from account to account through the index, and not through the waiting rows of each. */
  async listWaitingAccounts(transaction: Transaction): Promise<string[]> {
    const rows: { id: string }[] = await transaction.query(
      `WITH RECURSIVE account AS (
         (SELECT account_id AS id FROM jobs WHERE ${WAITING} ORDER BY account_id LIMIT 1)
         UNION ALL
         SELECT (SELECT account_id FROM jobs WHERE ${WAITING} AND account_id > account.id
                  ORDER BY account_id LIMIT 1)
           FROM account WHERE account.id IS NOT NULL)
       SELECT id FROM account WHERE id IS NOT NULL`,
    );
    return rows.map(({ id }) => id);
  }

  /** The first waiting jobs of each account, oldest first, `most` of each, but for those of busy hosts. */
  async listNext(
    transaction: Transaction,
    accounts: readonly { readonly accountId: string; readonly most: number }[],
    busyHosts: readonly string[],
  ): Promise<WaitingJob[]> {
    return transaction.query(
      `SELECT next.* FROM unnest($1::uuid[], $2::int[]) AS account (id, most)
        CROSS JOIN LATERAL (
          SELECT id, account_id AS "accountId", host, timeout_ms AS "timeoutMs" FROM (
            SELECT id, account_id, host, timeout_ms, created_at FROM jobs
             WHERE account_id = account.id AND ${WAITING}
             ORDER BY created_at, id LIMIT ${LOOK_AHEAD}) ahead
           WHERE host IS NULL OR host <> ALL($3)
           ORDER BY created_at, id LIMIT account.most) next`,
      [accounts.map(({ accountId }) => accountId), accounts.map(({ most }) => most), busyHosts],
    );
  }

  /** Those of these jobs that still wait, locked. One that is being canceled is left out instead of waited for. */
  async lock(transaction: Transaction, ids: readonly string[]): Promise<Set<string>> {
    const rows: { id: string }[] = await transaction.query(
      `SELECT id FROM jobs WHERE id = ANY($1) AND ${WAITING} FOR UPDATE SKIP LOCKED`,
      [ids],
    );
    return new Set(rows.map(({ id }) => id));
  }

  async dispatch(transaction: Transaction, ids: readonly string[]): Promise<DispatchedJob[]> {
    const [rows]: [DispatchedJob[]] = await transaction.query(
      `UPDATE jobs SET dispatched_at = clock_timestamp() WHERE id = ANY($1) AND ${WAITING}
       RETURNING id, source, attempt`,
      [ids],
    );
    return rows;
  }
}
