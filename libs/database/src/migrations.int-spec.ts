import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { createDatabase, type TestDatabase } from '../../../test/support/database.js';
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

  it('can be taken back and run again', async () => {
    const before = await tables();
    await revertAll(database.url);
    expect(await tables()).toEqual([]);
    await migrate(database.url);
    expect(await tables()).toEqual(before);
  });
});
