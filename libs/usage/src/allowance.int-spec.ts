import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import pg from 'pg';
import { ConfigModule, loadEnv } from '@app/config';
import { DatabaseService, DatabaseModule } from '@app/database';
import { newId } from '@app/kernel';
import { createDatabase, type TestDatabase } from '../../../test/support/database.js';
import { eventually } from '../../../test/support/eventually.js';
import { AccountsService, UsageModule, UsageService } from './index.js';

const ALLOWANCE = 10;
const ASKED = 12;

describe('the rest of an allowance', () => {
  let database: TestDatabase;
  let app: INestApplicationContext;
  let client: pg.Client;

  beforeAll(async () => {
    database = await createDatabase();
    const env = loadEnv({ DATABASE_URL: database.url });
    const module = await Test.createTestingModule({
      imports: [ConfigModule.of(env), DatabaseModule.connect('test'), UsageModule],
    }).compile();
    app = await module.init();
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
  });

  afterAll(async () => {
    await client.end();
    await app.close();
    await database.drop();
  });

  const account = async (): Promise<string> => {
    const limits = { allowance: ALLOWANCE, allowancePeriod: 'ever', concurrency: 1 } as const;
    return (await app.get(AccountsService).create({ name: newId(), ...limits }))?.id ?? '';
  };
  /** Units that a transaction is given which asks for more than there are. */
  const reserveRest = (accountId: string): Promise<number> =>
    app.get(DatabaseService).transaction(async (transaction) => {
      const wanted = new Map([[accountId, ASKED]]);
      const reserved = await app.get(UsageService).reserveWhatFits(transaction, wanted);
      return reserved.get(accountId)?.units ?? 0;
    });
  const countBlocked = async (): Promise<number> => {
    const { rows } = await client.query(
      `SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0`,
    );
    return rows.length;
  };
  const usedOf = async (accountId: string): Promise<unknown> =>
    (await client.query(`SELECT used FROM usage_counters WHERE account_id = $1`, [accountId])).rows;

  it('is given once to two who ask for more at the same time', async () => {
    const id = await account();
    await app
      .get(DatabaseService)
      .transaction((transaction) => app.get(UsageService).reserve(transaction, id, 1));
    let both = Promise.resolve([0]);
    // Held by a third: both come as far as the first statement that needs the counter, and go on together.
    await app.get(DatabaseService).transaction(async (transaction) => {
      await transaction.query('SELECT FROM usage_counters WHERE account_id = $1 FOR UPDATE', [id]);
      both = Promise.all([reserveRest(id), reserveRest(id)]);
      await eventually('both wait for the counter', async () => (await countBlocked()) === 2);
    });
    expect((await both).sort((a, b) => a - b)).toEqual([0, ALLOWANCE - 1]);
    expect(await usedOf(id)).toEqual([{ used: ALLOWANCE }]);
  });

  it('is given once to many who ask while there is no counter yet', async () => {
    const id = await account();
    const given = await Promise.all(Array.from({ length: 4 }, () => reserveRest(id)));
    expect(given.sort((a, b) => a - b)).toEqual([0, 0, 0, ALLOWANCE]);
    expect(await usedOf(id)).toEqual([{ used: ALLOWANCE }]);
  });
});
