import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from '@app/database';

/** The counters and limits of an account. */
export interface UsageReading {
  readonly total: number;
  readonly used: number;
  readonly limit: number;
  readonly inProgress: number;
  /** When the last slot that is held now is free at the latest; null if none is held. */
  readonly freeAt: Date | null;
}

/** What is left of an allowance in its current period. */
export interface Allowance {
  readonly period: string;
  readonly available: number;
  /** Whether the account accepts nothing new. */
  readonly isPaused: boolean;
  /** How many batches it may have in progress; null for any number. */
  readonly maxBatches: number | null;
  readonly kept: KeptLimits | null;
}

/** A counter after units were taken from it. */
export interface Taking {
  readonly accountId: string;
  readonly period: string;
  readonly total: number;
  readonly used: number;
  /** The highest threshold that was announced, in percent, and the allowance at that time. */
  readonly announced: number;
  readonly announcedTotal: number;
  /** Receives announcements. */
  readonly webhookUrl: string | null;
  readonly kept: KeptLimits | null;
}

/** What the captures of an account may have at once, where it has any such limit; null for any number. */
export interface KeptLimits {
  readonly captures: number | null;
  readonly bytes: number | null;
  readonly webhooks: number | null;
}

/** SQL: the limits of what an account may keep; null for an account without any. */
const KEPT = `
  CASE WHEN num_nonnulls(account.max_captures, account.max_bytes, account.max_webhooks) > 0 THEN
    json_build_object('captures', account.max_captures, 'bytes', account.max_bytes, 'webhooks', account.max_webhooks) END`;

const taking = (counter: string): string => `
  account.id AS "accountId", ${counter}.period, account.allowance AS total, ${counter}.used, ${counter}.announced,
  ${counter}.announced_total AS "announcedTotal", account.webhook_url AS "webhookUrl", ${KEPT} AS kept`;

/**
 * The order in which transactions take locks, so that they never deadlock:
 *
 *   accept    Idempotency-Keys → an entry of the cache, or shared files → counters, by account → account, for a slot
 *   batch     Idempotency-Key → its new rows, which no other transaction sees → shared files → counter
 *   dispatch  jobs → entries of the cache, by key → accounts, for slots; one dispatch at a time
 *   end       job → its batch → its Idempotency-Key → entry of the cache → shared files → its slot → counter
 *   settle    followers, by id → shared files → their batches → counter; one settlement at a time
 *   cancel    jobs of a batch, by id → the batch → their slots, by job → counters, by period
 *   retry     job → its slot
 *   audit     counters, by account; one audit at a time
 *   fold      entries → one counter
 *
 * The lock mode of an account's row does not block foreign keys to it.
 */
@Injectable()
export class UsageRepository {
  constructor(private readonly source: DataSource) {}

  /**
   * Takes units from the allowances of accounts, for each account all of them or none. Returns the counters of the accounts
   * that had enough. The counters stay locked until the transaction ends, which serialises the acceptances of an account;
   * they are locked in the order of their ids, so that two such calls never deadlock.
   */
  takeUnits(transaction: Transaction, wanted: ReadonlyMap<string, number>, month: string): Promise<Taking[]> {
    return transaction.query(
      `WITH taken AS (
         INSERT INTO usage_counters AS counter (account_id, period, used)
         SELECT account.id, CASE account.allowance_period WHEN 'month' THEN $3 ELSE 'ever' END, wanted.units
           FROM unnest($1::uuid[], $2::integer[]) AS wanted (account_id, units)
           JOIN accounts account ON account.id = wanted.account_id AND account.allowance >= wanted.units
                AND account.paused_at IS NULL
          ORDER BY account.id
         ON CONFLICT (account_id, period) DO UPDATE SET used = counter.used + EXCLUDED.used
           WHERE counter.used::bigint + EXCLUDED.used <= (SELECT allowance FROM accounts WHERE id = counter.account_id)
         RETURNING *)
       SELECT ${taking('taken')} FROM taken JOIN accounts account ON account.id = taken.account_id`,
      [[...wanted.keys()], [...wanted.values()], month],
    );
  }

  /** Takes as many of these units as are left; null if none are. */
  async takeRest(
    transaction: Transaction,
    accountId: string,
    wanted: { units: number; month: string },
  ): Promise<(Taking & { units: number }) | null> {
    await transaction.query(
      `INSERT INTO usage_counters (account_id, period, used)
       SELECT id, CASE allowance_period WHEN 'month' THEN $2 ELSE 'ever' END, 0 FROM accounts WHERE id = $1
       ON CONFLICT DO NOTHING`,
      [accountId, wanted.month],
    );
    // A separate statement, so that it sees what others took before the lock was granted.
    const [row]: Taking[] = await transaction.query(
      `SELECT ${taking('counter')}
         FROM usage_counters counter JOIN accounts account ON account.id = counter.account_id
        WHERE counter.account_id = $1
          AND counter.period = CASE account.allowance_period WHEN 'month' THEN $2 ELSE 'ever' END
          AND account.paused_at IS NULL
          FOR UPDATE OF counter`,
      [accountId, wanted.month],
    );
    const units = row ? Math.min(wanted.units, row.total - row.used) : 0;
    if (!row || units <= 0) return null;
    await transaction.query(
      `UPDATE usage_counters SET used = used + $3 WHERE account_id = $1 AND period = $2`,
      [accountId, row.period, units],
    );
    return { ...row, used: row.used + units, units };
  }

  /** Records an announced threshold. The transaction has taken units, and so holds the lock of the counter. */
  async markAnnounced(
    transaction: Transaction,
    { accountId, period, total }: Taking,
    percent: number,
  ): Promise<void> {
    await transaction.query(
      `UPDATE usage_counters SET announced = $3, announced_total = greatest(announced_total, $4) WHERE account_id = $1 AND period = $2`,
      [accountId, period, percent, total],
    );
  }

  async returnUnits(
    transaction: Transaction,
    accountId: string,
    { period, units }: { readonly period: string; readonly units: number },
  ): Promise<void> {
    await transaction.query(
      `UPDATE usage_counters SET used = used - $3 WHERE account_id = $1 AND period = $2`,
      [accountId, period, units],
    );
  }

  /** The counter from which units would be taken now; locks nothing. */
  async readCounter(transaction: Transaction, accountId: string, month: string): Promise<Allowance | null> {
    const rows: Allowance[] = await transaction.query(
      `SELECT own.period, account.allowance - coalesce(counter.used, 0) AS available,
              account.paused_at IS NOT NULL AS "isPaused", account.max_batches AS "maxBatches", ${KEPT} AS kept
         FROM accounts account
        CROSS JOIN LATERAL (SELECT CASE account.allowance_period WHEN 'month' THEN $2 ELSE 'ever' END AS period) own
         LEFT JOIN usage_counters counter ON counter.account_id = account.id AND counter.period = own.period
        WHERE account.id = $1`,
      [accountId, month],
    );
    return rows[0] ?? null;
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
          SELECT count(*) AS held, max(greatest(held_until, free_by)) AS free_at FROM concurrency_slots
           WHERE account_id = account.id AND held_until > now()) slots
        WHERE account.id = $1`,
      [accountId, month],
    );
    return rows[0] ?? null;
  }
}
