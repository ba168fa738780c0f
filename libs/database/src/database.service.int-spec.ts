import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { createDatabase, type TestDatabase } from '../../../test/support/database.js';
import { eventually } from '../../../test/support/eventually.js';
import { dataSourceOptions } from './data-source.js';
import { DatabaseService } from './database.service.js';

describe('an advisory lock', () => {
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

  it('runs the work of one process at a time', async () => {
    const [first, second] = [await connect('first'), await connect('second')];
    const done: string[] = [];
    const ran = await first.tryAdvisoryLock('expire', async () => {
      done.push('first');
      expect(await second.tryAdvisoryLock('expire', async () => void done.push('second'))).toBe(false);
      expect(await first.tryAdvisoryLock('expire', async () => void done.push('itself'))).toBe(false);
    });
    expect(ran).toBe(true);
    expect(await second.tryAdvisoryLock('expire', async () => void done.push('second'))).toBe(true);
    expect(done).toEqual(['first', 'second']);
  });

  it('is held apart from other locks', async () => {
    const database = await connect('both');
    let inner = false;
    await database.tryAdvisoryLock('expire', async () => {
      inner = await database.tryAdvisoryLock('reconcile', async () => undefined);
    });
    expect(inner).toBe(true);
  });

  it('is released when the work fails', async () => {
    const database = await connect('failing');
    const fault = new Error('no');
    await expect(database.tryAdvisoryLock('expire', () => Promise.reject(fault))).rejects.toBe(fault);
    expect(await database.tryAdvisoryLock('expire', async () => undefined)).toBe(true);
  });

  it('passes to another process when the session of its holder is lost, and the holder gets an error', async () => {
    const [first, second] = [await connect('lost'), await connect('heir')];
    await expect(
      first.tryAdvisoryLock('expire', async () => {
        await second.transaction((transaction) =>
          transaction.query(
            `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'lost'`,
          ),
        );
        await eventually('the lock is free', () => second.tryAdvisoryLock('expire', async () => undefined));
      }),
    ).rejects.toThrow();
    expect(await first.tryAdvisoryLock('expire', async () => undefined)).toBe(true);
  });

  it('is held by one transaction at a time, until it ends', async () => {
    const [first, second] = [await connect('transacting'), await connect('refused')];
    const result = await first.tryLockedTransaction('dispatch', async () => {
      expect(await second.tryLockedTransaction('dispatch', async () => 'second')).toBeNull();
      return 'first';
    });
    expect(result).toBe('first');
    expect(await second.tryLockedTransaction('dispatch', async () => 'second')).toBe('second');
  });
});
