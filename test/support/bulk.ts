import type { INestApplicationContext } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import pg from 'pg';
import { BatchUpkeepModule, BulkModule } from '@app/bulk';
import { ConfigModule, loadEnv } from '@app/config';
import { DatabaseModule } from '@app/database';
import { JobsModule, migrateQueue } from '@app/jobs';
import { newId } from '@app/kernel';
import { AccountsService, UsageModule } from '@app/usage';
import { createDatabase } from './database.js';

/** Batches on a database and a queue of their own, with the test in the place of API and worker. */
export interface TestBulk {
  readonly app: INestApplicationContext;
  readonly database: pg.Pool;
  /** The id of a new account. */
  account(): Promise<string>;
  /** What of this account is not as its rows say: counts of batches, reserved units, slots. Empty when all is well. */
  differences(accountId: string): Promise<object[]>;
  close(): Promise<void>;
}

export async function startBulk(): Promise<TestBulk> {
  const testDatabase = await createDatabase();
  const env = loadEnv({
    DATABASE_URL: testDatabase.url,
    SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
    DATABASE_POOL_SIZE: '20',
  });
  await migrateQueue(env);
  const modules = [BatchUpkeepModule, BulkModule, JobsModule, UsageModule];
  const module = await Test.createTestingModule({
    imports: [ConfigModule.of(env), DatabaseModule.connect('test'), ...modules],
  }).compile();
  const app = await module.init();
  const database = new pg.Pool({ connectionString: testDatabase.url });
  // Ending a pool does not wait for its sockets, which the drop of the database then cuts.
  database.on('error', () => undefined);
  return {
    app,
    database,
    account: async () => {
      const account = await app
        .get(AccountsService)
        .create({ name: newId(), allowance: 100_000, allowancePeriod: 'month', concurrency: 1_000 });
      return account?.id ?? '';
    },
    differences: async (accountId) => (await database.query<object>(DIFFERENCES, [accountId])).rows,
    close: async () => {
      await database.end();
      await app.close();
      await testDatabase.drop();
    },
  };
}

/** One statement, and so one instant, at which no transaction has happened by half. */
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
          OR (batch.queued + batch.running = 0) <> (batch.finished_at IS NOT NULL)
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
