import { expect } from '@jest/globals';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import {
  BatchAcceptanceService,
  type AcceptedBatch,
  type BatchOutcome,
  type BatchRequest,
  type CheckedRow,
} from '@app/bulk';
import { parseOptions } from '@app/capture';
import type { Fault } from '@app/kernel';
import { startBulk, type TestBulk } from './bulk.js';
import type { TestDatabase } from './database.js';

type Rows = Iterable<CheckedRow> | AsyncIterable<CheckedRow>;

/** What an account has before its first batch. */
export const NOTHING = { batches: 0, jobs: 0, keys: 0, used: 0 };

/** Accepts batches of a new account as the API does, on a database of its own. */
export class AcceptingBatches {
  private constructor(private readonly bulk: TestBulk) {}

  accountId = '';

  static async open(): Promise<AcceptingBatches> {
    return new AcceptingBatches(await startBulk());
  }

  get app(): TestBulk['app'] {
    return this.bulk.app;
  }

  get client(): TestDatabase {
    return this.bulk.database;
  }

  close(): Promise<void> {
    return this.bulk.close();
  }

  /** Everything that follows belongs to this new account. */
  async useAccount(allowance = 100_000): Promise<void> {
    this.accountId = await this.client.addAccount({ allowance, concurrency: 2 });
  }

  submit(rows: Rows, more: Partial<BatchRequest> = {}): Promise<BatchOutcome> {
    return this.app.get(BatchAcceptanceService).submit({
      accountId: this.accountId,
      rows: Symbol.iterator in rows ? each(rows) : rows,
      kind: 'json',
      onInvalid: 'reject',
      dryRun: false,
      ...more,
    });
  }

  async accept(rows: Rows, more: Partial<BatchRequest> = {}): Promise<AcceptedBatch> {
    const outcome = await this.submit(rows, more);
    if (outcome.kind !== 'accepted') throw new Error('It was a dry run');
    return outcome;
  }

  /** The error with which a submission is refused. */
  refusal(rows: Rows, more: Partial<BatchRequest> = {}): Promise<unknown> {
    return this.submit(rows, more).then(
      () => 'accepted',
      (error: unknown) => error,
    );
  }

  /** The rows of a batch in the order in which the dispatcher takes them. */
  async jobsOf(batchId: string): Promise<Record<string, unknown>[]> {
    const { rows } = await this.client.query<Record<string, unknown>>(
      `SELECT * FROM jobs WHERE batch_id = $1 ORDER BY created_at, id`,
      [batchId],
    );
    return rows;
  }

  /** The numbers of batches, jobs and keys of the account, and its used units. */
  async stored(): Promise<unknown> {
    const { rows } = await this.client.query(
      `SELECT (SELECT count(*)::int FROM batches WHERE account_id = $1) AS batches,
              (SELECT count(*)::int FROM jobs WHERE account_id = $1) AS jobs,
              (SELECT count(*)::int FROM idempotency_keys WHERE account_id = $1) AS keys,
              (SELECT coalesce(sum(used), 0)::int FROM usage_counters WHERE account_id = $1) AS used`,
      [this.accountId],
    );
    return rows[0];
  }

  /** Process ids of the sessions that wait for a lock in a statement that contains this text. */
  async waiting(statement: string): Promise<number[]> {
    const { rows } = await this.client.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity
        WHERE strpos(query, $1) > 0 AND wait_event_type = 'Lock' AND datname = current_database()`,
      [statement],
    );
    return rows.map(({ pid }) => pid);
  }

  /** Expects that all counts match the rows and that no spool file is left. */
  async expectSound(): Promise<void> {
    const { rows } = await this.client.query<{ used: number; held: number }>(
      `SELECT used, (SELECT count(*)::int FROM jobs WHERE jobs.account_id = counter.account_id
                        AND status IN ('queued', 'running', 'succeeded')) AS held FROM usage_counters AS counter`,
    );
    for (const { used, held } of rows) expect(used).toBe(held);
    const wrong = await this.client.query(
      `SELECT id FROM batches CROSS JOIN LATERAL (
         SELECT count(*) AS total, count(*) FILTER (WHERE status = 'queued') AS queued,
                count(*) FILTER (WHERE status = 'failed') AS failed
           FROM jobs WHERE batch_id = batches.id) AS seen
        WHERE (batches.total, batches.queued, batches.failed) IS DISTINCT FROM (seen.total, seen.queued, seen.failed)`,
    );
    expect(wrong.rows).toEqual([]);
    expect(spools()).toEqual([]);
  }
}

export function good(row: number, more: object = {}): CheckedRow {
  return {
    row,
    options: parseOptions({ url: `https://example.com/${row}`, reference: `r${row}`, ...more }),
  };
}

/** Rows of the same page: parsing thousands of different ones would take longer than storing them. */
export function goods(count: number): CheckedRow[] {
  const options = parseOptions({ url: 'https://example.com/all' });
  return Array.from({ length: count }, (_, i) => ({ row: i + 1, options }));
}

export function faultOf(row: number, column = 'url'): Fault {
  return {
    pointer: `/items/${row - 1}/${column}`,
    row,
    column,
    code: 'invalid_value',
    detail: 'is not a URL',
  };
}

export function bad(row: number): CheckedRow {
  return { row, faults: [faultOf(row)], reference: `r${row}`, format: 'webp' };
}

export function underKey(key: string, body = 'a body'): Pick<BatchRequest, 'idempotency'> {
  return { idempotency: () => ({ key, fingerprint: createHash('sha256').update(body).digest() }) };
}

/** The contents of the spool files that this process has open. */
export function spools(): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const link = `/proc/self/fd/${fd}`;
      return readlinkSync(link).includes('capture-bulk-') ? [readFileSync(link, 'utf8')] : [];
    } catch {
      // The descriptor has been closed, as that of the folder itself is.
      return [];
    }
  });
}

async function* each(rows: Iterable<CheckedRow>): AsyncGenerator<CheckedRow> {
  yield* rows;
}
