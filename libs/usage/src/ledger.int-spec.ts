import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@app/kernel';
import type { TestDatabase } from '../../../test/support/database.js';
import { startModules, type StartedModules } from '../../../test/support/modules.js';
import { LedgerRepository } from './ledger.repository.js';
import { UsageModule } from './index.js';

const PERIOD = '2025-01';
const NOW = new Date('2026-11-24T12:00:00Z');
const LONG_AGO = new Date('2025-01-10T12:00:00Z');

describe(LedgerRepository.name, () => {
  let service: StartedModules;
  let client: TestDatabase;
  let ledger: LedgerRepository;
  let accountId: string;
  let otherId: string;

  beforeAll(async () => {
    service = await startModules({ imports: [UsageModule] });
    client = service.database;
    ledger = service.app.get(LedgerRepository, { strict: false });
  });

  afterAll(() => service.close());

  beforeEach(async () => {
    await client.query('TRUNCATE usage_counters, usage_ledger');
    [accountId, otherId] = [await client.addAccount(), await client.addAccount()];
    for (const id of [accountId, otherId]) await addEntries(id, 2, LONG_AGO);
  });

  const addEntries = async (of: string, count: number, at: Date, period = PERIOD): Promise<void> => {
    await client.query(
      `INSERT INTO usage_counters (account_id, period, used) VALUES ($1, $2, $3)
       ON CONFLICT (account_id, period) DO UPDATE SET used = usage_counters.used + $3`,
      [of, period, count],
    );
    await client.query(
      `INSERT INTO usage_ledger SELECT id, $2, $3, $4 FROM unnest($1::uuid[]) AS entry (id)`,
      [Array.from({ length: count }, newId), of, period, at],
    );
  };
  /** The counter of an account: its units, how many of them are folded, and the entries of the others. */
  const counterOf = async (of: string): Promise<unknown> => {
    const { rows } = await client.query(
      `SELECT used, folded, (SELECT count(*)::int FROM usage_ledger WHERE account_id = $1) AS entries
         FROM usage_counters WHERE account_id = $1`,
      [of],
    );
    return rows[0];
  };

  it('folds the entries of one account, and leaves those of others in the same period', async () => {
    expect(await ledger.fold({ accountId, period: PERIOD }, NOW)).toBe(2);
    expect(await counterOf(accountId)).toEqual({ used: 2, folded: 2, entries: 0 });
    expect(await counterOf(otherId)).toEqual({ used: 2, folded: 0, entries: 2 });
    expect(await ledger.fold({ accountId, period: PERIOD }, NOW)).toBe(0);
  });

  it('folds no entry that is still kept', async () => {
    await addEntries(accountId, 1, NOW);
    expect(await ledger.fold({ accountId, period: PERIOD }, NOW)).toBe(2);
    expect(await counterOf(accountId)).toEqual({ used: 3, folded: 2, entries: 1 });
  });

  it('folds the entries of one period, and lists the others that have some', async () => {
    await addEntries(accountId, 3, LONG_AGO, '2024-12');
    await addEntries(accountId, 1, NOW, '2026-11');
    expect(await ledger.fold({ accountId, period: PERIOD }, NOW)).toBe(2);
    const listed = await ledger.listAged(NOW);
    expect(listed.filter((counter) => counter.accountId === accountId)).toEqual([
      { accountId, period: '2024-12' },
    ]);
  });

  it('folds a thousand entries at once, the oldest first', async () => {
    const later = new Date('2025-01-11T12:00:00Z');
    await addEntries(accountId, 1_000, later);
    expect(await ledger.fold({ accountId, period: PERIOD }, NOW)).toBe(1_000);
    const { rows } = await client.query(`SELECT at FROM usage_ledger WHERE account_id = $1`, [accountId]);
    expect(rows).toEqual([{ at: later }, { at: later }]);
    expect(await ledger.fold({ accountId, period: PERIOD }, NOW)).toBe(2);
  });

  it('lists the counters that have entries to fold', async () => {
    await ledger.fold({ accountId, period: PERIOD }, NOW);
    await addEntries(accountId, 1, NOW);
    expect(await ledger.listAged(NOW)).toEqual([{ accountId: otherId, period: PERIOD }]);
  });
});
