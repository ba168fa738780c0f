import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { createDatabase, type TestDatabase } from '../../../test/support/database.js';
import { FaultProxy } from '../../../test/support/fault-proxy.js';
import { dataSourceOptions } from './data-source.js';
import { isOutage } from './database-errors.js';

describe('a database that disappears without closing its connections', () => {
  let database: TestDatabase;
  let proxy: FaultProxy;
  let source: DataSource;

  beforeEach(async () => {
    database = await createDatabase();
    proxy = await FaultProxy.before(database.url);
    const url = proxy.proxied(database.url);
    source = await new DataSource(
      dataSourceOptions({ url, poolSize: 2, name: 'test', silenceMs: 300 }),
    ).initialize();
  });

  afterEach(async () => {
    await source.destroy();
    await proxy.close();
    await database.drop();
  });

  it('is an outage for the running statement, and for no later one', async () => {
    await source.query('SELECT 1');
    proxy.freeze();
    const error: unknown = await source.query('SELECT 2').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(isOutage(error)).toBe(true);
    expect(await source.query('SELECT 3 AS three')).toEqual([{ three: 3 }]);
  });

  it('is an outage within a transaction, too', async () => {
    const work = source.transaction(async (transaction) => {
      await transaction.query('SELECT 1');
      proxy.freeze();
      await transaction.query('SELECT 2');
    });
    const error: unknown = await work.catch((thrown: unknown) => thrown);
    expect(isOutage(error)).toBe(true);
    expect(await source.query('SELECT 3 AS three')).toEqual([{ three: 3 }]);
  });
});
