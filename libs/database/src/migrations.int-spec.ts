import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { createDatabase, type TestDatabase } from '../../../test/support/database.js';
import { DataSource } from 'typeorm';
import { dataSourceOptions } from './data-source.js';
import { MIGRATIONS, migrate, revertAll } from './index.js';

describe('migrations', () => {
  let database: TestDatabase;
  let client: pg.Client;

  beforeAll(async () => {
    database = await createDatabase();
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await revertAll(database.url);
  });

  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  const tables = async (): Promise<string[]> => {
    const { rows } = await client.query<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.tables
        WHERE table_schema = 'public' AND table_name <> 'migrations' ORDER BY 1`,
    );
    return rows.map(({ name }) => name);
  };

  it('leave nothing behind when they are taken back', async () => {
    expect(await tables()).toEqual([]);
  });

  it('run once although ten processes start at once', async () => {
    const runs = await Promise.all(Array.from({ length: 10 }, () => migrate(database.url)));
    expect(runs.flat()).toHaveLength(MIGRATIONS.length);
    expect(await tables()).toContain('jobs');
  });

  it('do nothing when there is nothing to do', async () => {
    expect(await migrate(database.url)).toEqual([]);
  });

  /** Takes back this migration and those after it. */
  const revertTo = async (name: string): Promise<void> => {
    const source = new DataSource(dataSourceOptions({ url: database.url, poolSize: 1, name: 'test' }));
    await source.initialize();
    const last = MIGRATIONS.findIndex((migration) => migration.name.startsWith(name));
    for (const _ of MIGRATIONS.slice(last)) await source.undoLastMigration();
    await source.destroy();
  };

  it('fill the ledger with what has succeeded before, and know the number of what is no longer recorded', async () => {
    await revertTo('CreateLedger');
    await client.query(
      `INSERT INTO accounts (id, name, allowance, allowance_period, concurrency)
       VALUES ('00000000-0000-7000-8000-000000000001', 'early', 100, 'month', 1)`,
    );
    await client.query(
      `INSERT INTO jobs (id, account_id, source, status, format, options, timeout_ms, usage_period, finished_at)
       SELECT gen_random_uuid(), accounts.id, 'job', status, 'png', '{}', 1, '2026-11', '2026-11-02T00:00:00Z'
         FROM accounts, unnest(ARRAY['succeeded', 'succeeded', 'failed', 'canceled', 'queued', 'running']) AS status`,
    );
    await client.query(`INSERT INTO usage_counters SELECT id, '2026-11', 9 FROM accounts`);
    await migrate(database.url);
    const { rows: entries } = await client.query(
      `SELECT entry.period, entry.at, job.status FROM usage_ledger entry JOIN jobs job ON job.id = entry.job_id`,
    );
    const entry = { period: '2026-11', at: new Date('2026-11-02T00:00:00Z'), status: 'succeeded' };
    expect(entries).toEqual([entry, entry]);
    const { rows: counters } = await client.query(`SELECT used, folded FROM usage_counters`);
    expect(counters).toEqual([{ used: 9, folded: 9 - 4 }]);
  });

  it('can be taken back and run again', async () => {
    const before = await tables();
    await revertAll(database.url);
    expect(await tables()).toEqual([]);
    await migrate(database.url);
    expect(await tables()).toEqual(before);
  });
});
