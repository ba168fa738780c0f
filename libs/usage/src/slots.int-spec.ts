import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DatabaseService, type Transaction } from '@app/database';
import { newId } from '@app/kernel';
import type { TestDatabase } from '../../../test/support/database.js';
import { eventually } from '../../../test/support/eventually.js';
import { codeOf, startModules, type StartedModules } from '../../../test/support/modules.js';
import { UsageModule, UsageService } from './index.js';

describe('the slots of an account', () => {
  let service: StartedModules;
  let client: TestDatabase;
  let accountId: string;
  let otherId: string;

  beforeAll(async () => {
    service = await startModules({ imports: [UsageModule] });
    client = service.database;
  });

  afterAll(() => service.close());

  beforeEach(async () => {
    accountId = await client.addAccount({ concurrency: 1 });
    otherId = await client.addAccount({ concurrency: 1 });
  });

  const hold = (transaction: Transaction, of = accountId): Promise<number> =>
    service.app.get(UsageService).holdSlot(transaction, { accountId: of, jobId: newId(), holdMs: 60_000 });
  const within = <T>(use: (transaction: Transaction) => Promise<T>): Promise<T> =>
    service.app.get(DatabaseService).transaction(use);
  const isWaiting = async (): Promise<boolean> => {
    const { rows } = await client.query(
      `SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0`,
    );
    return rows.length > 0;
  };

  it('are not taken twice by transactions that run at the same time', async () => {
    let second: Promise<string> = Promise.resolve('');
    let isOver = false;
    await within(async (transaction) => {
      await hold(transaction);
      second = within((other) => hold(other))
        .then(() => 'held', codeOf)
        .finally(() => (isOver = true));
      await eventually('the second waits for the first, or is over', async () => isOver || isWaiting());
    });
    expect(await second).toBe('concurrency_exceeded');
    const { rows } = await client.query(`SELECT FROM concurrency_slots WHERE account_id = $1`, [accountId]);
    expect(rows).toHaveLength(1);
  });

  it('are free again when the transaction is rolled back', async () => {
    await within(async (transaction) => {
      await hold(transaction);
      throw new Error('rolled back');
    }).catch(() => undefined);
    expect(await within((transaction) => hold(transaction)).then(() => 'held', codeOf)).toBe('held');
  });

  it('are offered to the account that was served longest ago first, and to one that never was before all', async () => {
    const usage = service.app.get(UsageService);
    const ids = await Promise.all(Array.from({ length: 3 }, () => client.addAccount({ concurrency: 2 })));
    const [last = '', first = '', never = ''] = ids.sort();
    for (const id of [accountId, first, last]) {
      await within((transaction) =>
        usage.holdSlots(transaction, [{ accountId: id, jobId: newId(), holdMs: 60_000 }]),
      );
    }
    // The account with a single slot has none left.
    expect(await within((transaction) => usage.listFree(transaction, [accountId, ...ids]))).toEqual([
      { accountId: never, free: 2 },
      { accountId: first, free: 1 },
      { accountId: last, free: 1 },
    ]);
  });

  it('count no more once their time is over, neither as held nor in the refusal of another one', async () => {
    const endAll = () =>
      client.query(
        `UPDATE concurrency_slots SET held_since = now() - interval '1 hour', held_until = now() - interval '1 s'
          WHERE account_id = $1`,
        [accountId],
      );
    await within((transaction) => hold(transaction));
    await endAll();
    await within((transaction) => hold(transaction));
    await expect(within((transaction) => hold(transaction))).rejects.toMatchObject({
      code: 'concurrency_exceeded',
      message: expect.stringMatching(/^1 capture is in progress, and the account may have 1\./),
      facts: { retryAfterS: 1 },
    });
    const { concurrency } = await service.app.get(UsageService).report(accountId);
    expect(concurrency).toMatchObject({ limit: 1, remaining: 0 });
    await endAll();
    expect((await service.app.get(UsageService).report(accountId)).concurrency.remaining).toBe(1);
  });

  it('that are held beyond a limit that was lowered leave none, and no negative number of them', async () => {
    await client.query('UPDATE accounts SET concurrency = 2 WHERE id = $1', [otherId]);
    for (let n = 0; n < 2; n++) await within((transaction) => hold(transaction, otherId));
    await client.query('UPDATE accounts SET concurrency = 1 WHERE id = $1', [otherId]);
    const { concurrency } = await service.app.get(UsageService).report(otherId);
    expect(concurrency).toMatchObject({ limit: 1, remaining: 0 });
  });

  it('are reported as free when the last of them is, and not sooner after a shorter extension', async () => {
    const usage = service.app.get(UsageService);
    await client.query('UPDATE accounts SET concurrency = 2 WHERE id = $1', [accountId]);
    const [short, long] = [newId(), newId()];
    await within((transaction) => usage.holdSlot(transaction, { accountId, jobId: short, holdMs: 60_000 }));
    await within((transaction) => usage.holdSlot(transaction, { accountId, jobId: long, holdMs: 600_000 }));
    const freeAt = async () => (await usage.report(accountId)).concurrency.reset_unix;
    const { rows } = await client.query<{ at: number }>(
      `SELECT ceil(extract(epoch FROM free_by))::int AS at FROM concurrency_slots WHERE job_id = $1`,
      [long],
    );
    expect(await freeAt()).toBe(rows[0]?.at);
    // As the slot of a job that is queued again after a worker has held it by its lease.
    await client.query(`UPDATE concurrency_slots SET held_until = now() + interval '1 s' WHERE job_id = $1`, [
      long,
    ]);
    await within((transaction) => usage.keepSlots(transaction, [{ jobId: long, holdMs: 90_000 }]));
    expect(await freeAt()).toBe(rows[0]?.at);
  });

  it('do not depend on what other accounts hold', async () => {
    await within((transaction) => hold(transaction));
    expect(await within((transaction) => hold(transaction, otherId)).then(() => 'held', codeOf)).toBe('held');
  });
});
