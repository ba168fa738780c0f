import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { createDatabase, type TestDatabase } from '../../../test/support/database.js';
import { eventually } from '../../../test/support/eventually.js';
import { dataSourceOptions } from './data-source.js';
import { DatabaseService } from './database.service.js';

describe('one at a time', () => {
  let testDatabase: TestDatabase;
  const sources: DataSource[] = [];

  beforeAll(async () => {
    testDatabase = await createDatabase();
  });

  afterAll(async () => {
    for (const source of sources) await source.destroy();
    await testDatabase.drop();
  });

  /** As another process would see it: a pool of its own. */
  const connect = async (name: string): Promise<DatabaseService> => {
    const source = new DataSource(dataSourceOptions({ url: testDatabase.url, poolSize: 4, name }));
    sources.push(await source.initialize());
    return new DatabaseService(source);
  };

  it('lets the second go without work while the first is at it, and again when it is done', async () => {
    const [first, second] = [await connect('first'), await connect('second')];
    const done: string[] = [];
    const ran = await first.alone('expire', async () => {
      done.push('first');
      expect(await second.alone('expire', async () => void done.push('second'))).toBe(false);
      expect(await first.alone('expire', async () => void done.push('itself'))).toBe(false);
    });
    expect(ran).toBe(true);
    expect(await second.alone('expire', async () => void done.push('second'))).toBe(true);
    expect(done).toEqual(['first', 'second']);
  });

  it('does not mix up two kinds of work', async () => {
    const database = await connect('both');
    let inner = false;
    await database.alone('expire', async () => {
      inner = await database.alone('reconcile', async () => undefined);
    });
    expect(inner).toBe(true);
  });

  it('gives the lock back when the work fails', async () => {
    const database = await connect('failing');
    const fault = new Error('no');
    await expect(database.alone('expire', () => Promise.reject(fault))).rejects.toBe(fault);
    expect(await database.alone('expire', async () => undefined)).toBe(true);
  });

  it('lets another go on when the session of the first is lost, and the first is told', async () => {
    const [first, second] = [await connect('lost'), await connect('heir')];
    await expect(
      first.alone('expire', async () => {
        await second.transaction((transaction) =>
          transaction.query(
            `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'lost'`,
          ),
        );
        await eventually('the lock is free', () => second.alone('expire', async () => undefined));
      }),
    ).rejects.toThrow();
    expect(await first.alone('expire', async () => undefined)).toBe(true);
  });
});
