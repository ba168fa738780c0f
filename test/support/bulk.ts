import { BatchUpkeepModule, BulkModule } from '@app/bulk';
import { startJobs } from './jobs.js';
import type { StartedModules } from './modules.js';

/** Batches on a database and a queue of their own; the test acts as the API and the worker. */
export interface TestBulk extends StartedModules {
  /** Adds an account with limits that no test reaches; returns its id. */
  account(): Promise<string>;
  /**
   * Returns the differences between the rows of the account and its counts of batches, reserved units and slots; nothing
   * when all are correct.
   */
  differences(accountId: string): Promise<object[]>;
}

export async function startBulk(): Promise<TestBulk> {
  const started = await startJobs({
    imports: [BatchUpkeepModule, BulkModule],
    settings: { DATABASE_POOL_SIZE: '20' },
  });
  const { database } = started;
  return {
    ...started,
    account: () => database.addAccount({ allowance: 100_000, concurrency: 1_000 }),
    differences: async (accountId) => (await database.query<object>(DIFFERENCES, [accountId])).rows,
  };
}

/** A single statement, which sees every transaction as a whole or not at all. */
const DIFFERENCES = `
  SELECT 'counts' AS what, batch.id, to_jsonb(batch) AS stored, to_jsonb(actual) AS actual
    FROM batches batch
   CROSS JOIN LATERAL (
     SELECT count(*) FILTER (WHERE status = 'queued') AS queued, count(*) FILTER (WHERE status = 'running') AS running,
            count(*) FILTER (WHERE status = 'succeeded') AS succeeded,
            count(*) FILTER (WHERE status = 'failed') AS failed,
            count(*) FILTER (WHERE status = 'canceled') AS canceled
       FROM jobs WHERE batch_id = batch.id) AS actual
   WHERE batch.account_id = $1
     AND ((batch.queued, batch.running, batch.succeeded, batch.failed, batch.canceled)
            IS DISTINCT FROM (actual.queued, actual.running, actual.succeeded, actual.failed, actual.canceled)
          OR batch.total <> batch.queued + batch.running + batch.succeeded + batch.failed + batch.canceled
          OR (batch.queued + batch.running = 0 AND NOT batch.is_open) <> (batch.finished_at IS NOT NULL)
          OR (batch.finished_at IS NOT NULL) <> (batch.status IN ('completed', 'canceled')))
  UNION ALL
  SELECT 'units', account_id, to_jsonb(counter), to_jsonb(reserved)
    FROM usage_counters counter
   CROSS JOIN LATERAL (
     SELECT count(*) FROM jobs
      WHERE account_id = counter.account_id AND status IN ('queued', 'running', 'succeeded')) AS reserved
   WHERE account_id = $1 AND counter.used <> reserved.count
  UNION ALL
  SELECT 'a slot of a job that has ended', job_id, to_jsonb(slot), NULL
    FROM concurrency_slots slot JOIN jobs ON jobs.id = job_id
   WHERE slot.account_id = $1 AND status NOT IN ('queued', 'running')`;
