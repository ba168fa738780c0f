import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createDatabase, type TestDatabase } from '../../../test/support/database.js';
import { MIGRATIONS, migrate, revertAll } from './index.js';

describe('migrations', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createDatabase();
    await revertAll(database.url);
  });

  afterAll(() => database.drop());

  const namesOf = async (sql: string): Promise<string[]> =>
    (await database.query<{ name: string }>(sql)).rows.map(({ name }) => name);
  const tables = () =>
    namesOf(
      `SELECT table_name AS name FROM information_schema.tables
        WHERE table_schema = 'public' AND table_name <> 'migrations' ORDER BY 1`,
    );
  const functions = () =>
    namesOf(`SELECT proname AS name FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY 1`);

  it('leave nothing behind when they are reverted', async () => {
    expect([await tables(), await functions()]).toEqual([[], []]);
  });

  it('run once when ten processes start at the same time', async () => {
    const runs = await Promise.all(Array.from({ length: 10 }, () => migrate(database.url)));
    expect(runs.flat()).toHaveLength(MIGRATIONS.length);
    expect(await tables()).toContain('jobs');
  });

  it('do nothing when there is nothing to do', async () => {
    expect(await migrate(database.url)).toEqual([]);
  });

  it('can be reverted and run again', async () => {
    const before = [await tables(), await functions()];
    await revertAll(database.url);
    expect([await tables(), await functions()]).toEqual([[], []]);
    await migrate(database.url);
    expect([await tables(), await functions()]).toEqual(before);
  });

  it('refuse a database that a commit before version 0.2.0 made, and leave it as it is', async () => {
    await using earlier = await createDatabase();
    await revertAll(earlier.url);
    await earlier.query(`CREATE TABLE accounts (id uuid PRIMARY KEY)`);
    await earlier.query(
      `INSERT INTO migrations (timestamp, name) VALUES (1795000000000, 'CreateAccounts1795000000000')`,
    );
    await expect(migrate(earlier.url)).rejects.toMatchObject({
      name: 'StartupError',
      message: expect.stringMatching(/before version 0\.2\.0.*DATABASE_URL.*DATA_DIR/s),
    });
    const { rows } = await earlier.query(
      `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1`,
    );
    expect(rows).toEqual([{ name: 'accounts' }, { name: 'migrations' }]);
  });
});

describe('the table of jobs', () => {
  let database: TestDatabase;
  let id: string;

  beforeAll(async () => {
    database = await createDatabase();
    const { rows } = await database.query<{ id: string }>(
      `INSERT INTO jobs (id, account_id, source, status, format, options, timeout_ms, usage_period)
       VALUES (gen_random_uuid(), $1, 'job', 'failed', 'png', '{}', 1, '2026-11') RETURNING id`,
      [await database.addAccount()],
    );
    id = rows[0]?.id ?? '';
  });

  afterAll(() => database.drop());

  const x = (count: number): string => 'x'.repeat(count);
  const store = (column: string, value: unknown) =>
    database.query(`UPDATE jobs SET ${column} = $2 WHERE id = $1`, [id, value]);

  it('takes texts of pages and browsers of the greatest length', async () => {
    await store('final_url', x(8_192));
    await store('title', '世'.repeat(1_024));
    await store('error', { detail: x(300), net_error: x(300) });
  });

  it.each([
    ['final_url', x(8_193)],
    ['title', x(1_025)],
    ['error', { detail: x(301) }],
    ['error', { net_error: x(301) }],
    ['error', { errors: Array.from({ length: 20 }, () => ({ detail: x(4_000) })) }],
  ])('refuses a longer %s', async (column, value) => {
    await expect(store(column, value)).rejects.toThrow(`jobs_${column}_check`);
  });
});
