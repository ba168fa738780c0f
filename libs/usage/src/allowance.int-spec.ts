import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { DatabaseService } from '@app/database';
import type { TestDatabase } from '../../../test/support/database.js';
import { eventually } from '../../../test/support/eventually.js';
import { startModules, type StartedModules } from '../../../test/support/modules.js';
import { UsageModule, UsageService } from './index.js';

const ALLOWANCE = 10;
const ASKED = 12;

describe('the rest of an allowance', () => {
  let service: StartedModules;
  let app: INestApplicationContext;
  let client: TestDatabase;

  beforeAll(async () => {
    service = await startModules({ imports: [UsageModule] });
    ({ app, database: client } = service);
  });

  afterAll(() => service.close());

  const account = (): Promise<string> =>
    client.addAccount({ allowance: ALLOWANCE, allowance_period: 'ever', concurrency: 1 });
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
