import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { createDatabase, type TestDatabase } from '../../../test/support/database.js';
import { FaultProxy } from '../../../test/support/fault-proxy.js';
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

describe('the state of the database', () => {
  let testDatabase: TestDatabase;
  let source: DataSource;
  let database: DatabaseService;

  beforeEach(async () => {
    testDatabase = await createDatabase();
    source = await new DataSource(
      dataSourceOptions({ url: testDatabase.url, poolSize: 2, name: 'state' }),
    ).initialize();
    database = new DatabaseService(source);
  });

  afterEach(async () => {
    await source.destroy();
    await testDatabase.drop();
  });

  const LONG_MS = 10_000;

  it.each([
    [
      'old_schema',
      'lacks the newest migration',
      'DELETE FROM migrations WHERE id = (SELECT max(id) FROM migrations)',
    ],
    ['old_schema', 'is empty', 'DROP TABLE migrations'],
    ['old_schema', 'has run no migration', 'DELETE FROM migrations'],
    [
      'unsupported_schema',
      'was made by a commit before version 0.2.0',
      `INSERT INTO migrations (timestamp, name) VALUES (1795000000000, 'CreateAccounts1795000000000')`,
    ],
    ['ok', 'is up to date', 'SELECT'],
    [
      'ok',
      'has a migration of a later version',
      `INSERT INTO migrations (timestamp, name) VALUES (9000000000000, 'Later9000000000000')`,
    ],
  ])('is %s when the schema %s', async (state, _, sql) => {
    await testDatabase.query(sql);
    expect(await database.state(LONG_MS)).toBe(state);
  });

  it('is slow when an answer takes long, and down only without one for seconds', async () => {
    await using holder = await testDatabase.session();
    await holder.query('BEGIN');
    await holder.query('LOCK TABLE migrations IN ACCESS EXCLUSIVE MODE');
    expect(await database.state(50)).toBe('slow');
    // Probes share the statement, so that they do not take all connections.
    expect(await Promise.all([1, 2, 3].map(() => database.state(50)))).toEqual(['slow', 'slow', 'slow']);
    expect(await source.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await eventually('it counts as down', async () => (await database.state(50)) === 'down');
    await holder.query('ROLLBACK');
    await eventually('it is well again', async () => (await database.state(50)) === 'ok');
  });

  it('stays down while no ping gets an answer, however early one is asked for', async () => {
    const proxy = await FaultProxy.before(testDatabase.url);
    const url = proxy.proxied(testDatabase.url);
    const other = await new DataSource(dataSourceOptions({ url, poolSize: 2, name: 'other' })).initialize();
    const behind = new DatabaseService(other);
    try {
      await proxy.set('blackhole');
      expect(await behind.state(LONG_MS)).toBe('down');
      expect(await behind.state(50)).toBe('down');
      await proxy.set('pass');
      await eventually('it answers again', async () => (await behind.state(LONG_MS)) === 'ok');
    } finally {
      await other.destroy();
      await proxy.close();
    }
  });

  it('is down when the server accepts no writes', async () => {
    const name = new URL(testDatabase.url).pathname.slice(1);
    await testDatabase.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    const other = await new DataSource(
      dataSourceOptions({ url: testDatabase.url, poolSize: 2, name: 'other' }),
    ).initialize();
    expect(await new DatabaseService(other).state(LONG_MS)).toBe('down');
    await other.destroy();
  });
});
