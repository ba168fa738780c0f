import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Transaction } from '@app/database';

/** A slot that a job needs or holds. */
export interface Slot {
  readonly accountId: string;
  readonly jobId: string;
  readonly holdMs: number;
}

/** The slot of a job that a worker runs. */
export interface LeasedSlot {
  readonly jobId: string;
  /** The slot is held for this long, unless the lease is renewed. */
  readonly leaseMs: number;
  /** The slot is free after this at the latest, however often the lease is renewed; 0 leaves an earlier value. */
  readonly freeMs: number;
}

export interface FreeSlots {
  readonly accountId: string;
  readonly free: number;
}

export interface HeldSlots {
  readonly held: number;
  readonly limit: number;
  /** Average time for which they have been held. */
  readonly meanAgeS: number;
}

/** The slot of a queued job is held for a minute and extended every few seconds; only a larger extension is written. */
const MIN_EXTENSION_MS = 20_000;

/** The slots that the account with this id holds. Exact only in a statement that begins after its row was locked. */
const heldBy = (accountId: string): string =>
  `(SELECT count(*) FROM concurrency_slots held WHERE held.account_id = ${accountId} AND held.held_until > now())`;

/** The free slots of a row of `accounts`. */
const FREE = `(accounts.concurrency - ${heldBy('accounts.id')})`;

/**
 * The slots of accounts, by the clock of the database. A slot counts until `held_until`; its row is deleted when its job
 * ends. A statement that changes several slots locks them in the order of their jobs, so that it never deadlocks.
 */
@Injectable()
export class SlotRepository {
  constructor(private readonly source: DataSource) {}

  /**
   * Takes a free slot for at most `holdMs`. Returns how many slots the account holds with this one; null if it had none
   * free.
   */
  async takeSlot(transaction: Transaction, { accountId, jobId, holdMs }: Slot): Promise<number | null> {
    await transaction.query(`SELECT FROM accounts WHERE id = $1 FOR NO KEY UPDATE`, [accountId]);
    const [row]: { held: number }[] = await transaction.query(
      `INSERT INTO concurrency_slots (job_id, account_id, held_until, free_by)
       SELECT $2, id, hold.until, hold.until
         FROM accounts, (SELECT clock_timestamp() + $3 * interval '1 ms' AS until) AS hold
        WHERE id = $1 AND ${FREE} > 0
       RETURNING ${heldBy('$1')}::int + 1 AS held`,
      [accountId, jobId, holdMs],
    );
    return row?.held ?? null;
  }

  /** Takes slots for these jobs, in their order, while their accounts have free ones. Returns the jobs that got one. */
  async takeSlots(transaction: Transaction, slots: readonly Slot[]): Promise<string[]> {
    // This statement also locks the accounts.
    await transaction.query(`UPDATE accounts SET served_at = clock_timestamp() WHERE id = ANY($1)`, [
      [...new Set(slots.map(({ accountId }) => accountId))],
    ]);
    const rows: { jobId: string }[] = await transaction.query(
      `INSERT INTO concurrency_slots (job_id, account_id, held_until, free_by)
       SELECT wanted.job_id, id, wanted.until, wanted.until
         FROM (SELECT *, row_number() OVER (PARTITION BY account_id ORDER BY place) AS nth,
                      clock_timestamp() + hold_ms * interval '1 ms' AS until
                 FROM unnest($1::uuid[], $2::uuid[], $3::int[]) WITH ORDINALITY
                   AS listed (job_id, account_id, hold_ms, place)) wanted
         JOIN accounts ON id = wanted.account_id
        WHERE wanted.nth <= ${FREE}
       RETURNING job_id AS "jobId"`,
      [
        slots.map(({ jobId }) => jobId),
        slots.map(({ accountId }) => accountId),
        slots.map(({ holdMs }) => holdMs),
      ],
    );
    return rows.map(({ jobId }) => jobId);
  }

  /** Lists the accounts among these that have free slots, least recently served first. */
  async listFree(transaction: Transaction, accountIds: readonly string[]): Promise<FreeSlots[]> {
    return transaction.query(
      `SELECT id AS "accountId", ${FREE}::int AS free FROM accounts WHERE id = ANY($1) AND ${FREE} > 0
        ORDER BY served_at NULLS FIRST, id`,
      [accountIds],
    );
  }

  /** Extends these slots, unless the extension is too small to be worth a write. */
  async extendSlots(
    executor: EntityManager,
    slots: readonly Pick<Slot, 'jobId' | 'holdMs'>[],
  ): Promise<void> {
    await executor.query(
      `WITH listed AS (
         SELECT job_id, clock_timestamp() + hold_ms * interval '1 ms' AS until
           FROM unnest($1::uuid[], $2::int[]) AS listed (job_id, hold_ms)),
       kept AS MATERIALIZED (
         SELECT job_id, until FROM concurrency_slots slot JOIN listed USING (job_id)
          WHERE slot.held_until < until - $3 * interval '1 ms' ORDER BY job_id FOR NO KEY UPDATE OF slot)
       UPDATE concurrency_slots slot SET held_until = kept.until, free_by = greatest(slot.free_by, kept.until)
         FROM kept WHERE slot.job_id = kept.job_id`,
      [slots.map(({ jobId }) => jobId), slots.map(({ holdMs }) => holdMs), MIN_EXTENSION_MS],
    );
  }

  /** Holds these slots until their leases end, which may be later or earlier than before. */
  async leaseSlots(slots: readonly LeasedSlot[]): Promise<void> {
    await this.source.query(
      `WITH leased AS MATERIALIZED (
         SELECT job_id, lease_ms, free_ms FROM concurrency_slots slot
           JOIN unnest($1::uuid[], $2::int[], $3::int[]) AS listed (job_id, lease_ms, free_ms) USING (job_id)
          ORDER BY job_id FOR NO KEY UPDATE OF slot)
       UPDATE concurrency_slots slot
          SET held_until = clock_timestamp() + lease_ms * interval '1 ms',
              free_by = greatest(slot.free_by, clock_timestamp() + greatest(free_ms, lease_ms) * interval '1 ms')
         FROM leased WHERE slot.job_id = leased.job_id`,
      [
        slots.map(({ jobId }) => jobId),
        slots.map(({ leaseMs }) => leaseMs),
        slots.map(({ freeMs }) => freeMs),
      ],
    );
  }

  /** The slots of an account that has none free. */
  async readHeld(transaction: Transaction, accountId: string): Promise<HeldSlots> {
    const [row]: [HeldSlots] = await transaction.query(
      `SELECT count(job_id)::int AS held, concurrency AS "limit",
              coalesce(avg(extract(epoch FROM clock_timestamp() - held_since)), 0)::float8 AS "meanAgeS"
         FROM accounts LEFT JOIN concurrency_slots ON account_id = id AND held_until > now()
        WHERE id = $1 GROUP BY id`,
      [accountId],
    );
    return row;
  }

  /** Frees the slots of these jobs, if they have any. */
  async freeSlots(transaction: Transaction, jobIds: readonly string[]): Promise<void> {
    await transaction.query(
      `WITH freed AS MATERIALIZED (
         SELECT job_id FROM concurrency_slots WHERE job_id = ANY($1) ORDER BY job_id FOR UPDATE)
       DELETE FROM concurrency_slots slot USING freed WHERE slot.job_id = freed.job_id`,
      [jobIds],
    );
  }

  async freeSlot(transaction: Transaction, jobId: string): Promise<void> {
    await transaction.query(`DELETE FROM concurrency_slots WHERE job_id = $1`, [jobId]);
  }
}

const MAX_WAIT_S = 60;

/**
 * Seconds after which a slot is probably free. It assumes that the captures in progress last as long again as they have
 * lasted, and end evenly over that time: short captures free a slot within a second, long ones take longer.
 */
export function slotWaitS({ held, limit, meanAgeS }: HeldSlots): number {
  const ends = Math.max(1, held - limit + 1);
  return Math.min(MAX_WAIT_S, Math.max(1, Math.ceil((ends * 2 * meanAgeS) / (held + 1))));
}
