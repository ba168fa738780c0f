import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { DatabaseService } from '@app/database';
import { newId } from '@app/kernel';
import type { TestDatabase } from '../../../test/support/database.js';
import { eventually } from '../../../test/support/eventually.js';
import { codeOf, startModules, type StartedModules } from '../../../test/support/modules.js';
import { UsageModule, UsageService } from './index.js';

const ALLOWANCE = 10;
const WANTED = 12;

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
  /** Returns the units that a transaction gets when it wants more than are left. */
  const reserveRest = (accountId: string): Promise<number> =>
    app.get(DatabaseService).transaction(async (transaction) => {
      const wanted = new Map([[accountId, WANTED]]);
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

  const reserve = (id: string, units: number): Promise<string> =>
    app
      .get(DatabaseService)
      .transaction((transaction) => app.get(UsageService).reserve(transaction, id, units))
      .then(() => 'reserved', codeOf);

  it('may be all of the allowance in one reservation', async () => {
    const id = await account();
    expect(await reserve(id, ALLOWANCE + 1)).toBe('allowance_exhausted');
    expect(await reserve(id, ALLOWANCE)).toBe('reserved');
    expect(await usedOf(id)).toEqual([{ used: ALLOWANCE }]);
    expect(await reserve(id, 1)).toBe('allowance_exhausted');
  });

  it('may be used up to its last unit by several reservations', async () => {
    const id = await account();
    expect(await reserve(id, ALLOWANCE - 2)).toBe('reserved');
    expect(await reserve(id, 3)).toBe('allowance_exhausted');
    expect(await reserve(id, 2)).toBe('reserved');
    expect(await usedOf(id)).toEqual([{ used: ALLOWANCE }]);
  });

  it('is given back by all captures that end together, each to its own period', async () => {
    const id = await client.addAccount({ allowance: ALLOWANCE, allowance_period: 'month', concurrency: 1 });
    await reserve(id, 4);
    await client.query(`INSERT INTO usage_counters (account_id, period, used) VALUES ($1, '2020-01', 3)`, [
      id,
    ]);
    const { rows } = await client.query<{ period: string }>(
      `SELECT period FROM usage_counters WHERE account_id = $1 AND period <> '2020-01'`,
      [id],
    );
    const now = rows[0]?.period ?? '';
    const ended = [now, '2020-01', now, '2020-01', now];
    await app.get(DatabaseService).transaction((transaction) =>
      app.get(UsageService).release(
        transaction,
        ended.map((period) => ({ jobId: newId(), accountId: id, period })),
      ),
    );
    const left = await client.query(
      `SELECT period, used FROM usage_counters WHERE account_id = $1 ORDER BY period`,
      [id],
    );
    expect(left.rows).toEqual([
      { period: '2020-01', used: 1 },
      { period: now, used: 1 },
    ]);
  });

  it('is reserved once by two transactions that want more at the same time', async () => {
    const id = await account();
    await app
      .get(DatabaseService)
      .transaction((transaction) => app.get(UsageService).reserve(transaction, id, 1));
    let both = Promise.resolve([0]);
    // A third transaction holds the counter, so that both reach the statement that needs it and continue together.
    await app.get(DatabaseService).transaction(async (transaction) => {
      await transaction.query('SELECT FROM usage_counters WHERE account_id = $1 FOR UPDATE', [id]);
      both = Promise.all([reserveRest(id), reserveRest(id)]);
      await eventually('both wait for the counter', async () => (await countBlocked()) === 2);
    });
    expect((await both).sort((a, b) => a - b)).toEqual([0, ALLOWANCE - 1]);
    expect(await usedOf(id)).toEqual([{ used: ALLOWANCE }]);
  });

  it('is reserved once by many transactions before the counter exists', async () => {
    const id = await account();
    const units = await Promise.all(Array.from({ length: 4 }, () => reserveRest(id)));
    expect(units.sort((a, b) => a - b)).toEqual([0, 0, 0, ALLOWANCE]);
    expect(await usedOf(id)).toEqual([{ used: ALLOWANCE }]);
  });
});
