import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import pg from 'pg';
import { ConfigModule, loadEnv } from '@app/config';
import { Database, DatabaseModule } from '@app/database';
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
  /** Units that a transaction is given which asks for more than there are; it commits after `meanwhile`. */
  const reserveRest = (accountId: string, meanwhile: () => Promise<void>): Promise<number> =>
    app.get(Database).transaction(async (transaction) => {
      const wanted = new Map([[accountId, ASKED]]);
      const reserved = await app.get(UsageService).reserveWhatFits(transaction, wanted);
      await meanwhile();
      return reserved.get(accountId)?.units ?? 0;
    });
  const isSomebodyBlocked = async (): Promise<boolean> => {
    const { rows } = await client.query(
      `SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0`,
    );
    return rows.length > 0;
  };

  it.each([
    ['that has used none', 0],
    ['that has used some', 1],
  ])('is given once to two who ask for more at the same time, of an account %s', async (_, used) => {
    const id = await account();
    const database = app.get(Database);
    if (used > 0)
      await database.transaction((transaction) => app.get(UsageService).reserve(transaction, id, used));
    let second = Promise.resolve(0);
    const first = await reserveRest(id, async () => {
      second = reserveRest(id, () => Promise.resolve());
      await eventually('the second waits for the first', isSomebodyBlocked);
    });
    expect([first, await second]).toEqual([ALLOWANCE - used, 0]);
    const { rows } = await client.query(`SELECT used FROM usage_counters WHERE account_id = $1`, [id]);
    expect(rows).toEqual([{ used: ALLOWANCE }]);
  });
});
