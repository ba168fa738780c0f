import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { createDatabase, type TestDatabase } from '../../../test/support/database.js';
import { eventually } from '../../../test/support/eventually.js';
import { NoConnectionError } from './database-errors.js';
import { ListeningClient } from './listening-client.js';
import { Pool } from './pool.js';

const WRITE = 'CREATE TABLE written (id integer)';

/** A failover: new connections reach a server that accepts no writes, and after the way back one that does. */
describe('a failover to a server that accepts no writes, and back', () => {
  let database: TestDatabase;
  /** Connected before the failover. */
  let admin: pg.Client;
  let pool: Pool;

  beforeEach(async () => {
    database = await createDatabase();
    admin = await database.session();
    pool = new Pool({ connectionString: database.url, max: 2 });
  });

  afterEach(async () => {
    await pool.end();
    await admin.end();
    await database.drop();
  });

  const failOver = () =>
    admin.query(`ALTER DATABASE ${admin.database} SET default_transaction_read_only = on`);
  const failBack = () => admin.query(`ALTER DATABASE ${admin.database} RESET default_transaction_read_only`);
  const isReadOnly = async (on: { query(sql: string): Promise<pg.QueryResult> }): Promise<boolean> =>
    (await on.query('SHOW transaction_read_only')).rows[0].transaction_read_only === 'on';

  it('answers reads meanwhile, and uses no old connection once a new one accepts writes', async () => {
    await failOver();
    const old = await pool.connect();
    expect(await isReadOnly(old)).toBe(true);
    await failBack();
    const fresh = await pool.connect();
    expect(await isReadOnly(fresh)).toBe(false);
    old.release();
    fresh.release();
    const both = await Promise.all([pool.connect(), pool.connect()]);
    expect(await Promise.all(both.map(isReadOnly))).toEqual([false, false]);
    for (const client of both) client.release();
  });

  it('leaves the old server by itself, without an error', async () => {
    await failOver();
    expect(await isReadOnly(pool)).toBe(true);
    await failBack();
    await eventually('the pool has left it', async () => !(await isReadOnly(pool)));
    await pool.query(WRITE);
  });

  it('replaces all connections when a server refuses a write of which that was not known', async () => {
    const pidOf = async (client: pg.ClientBase): Promise<number> =>
      Number((await client.query('SELECT pg_backend_pid() AS pid')).rows[0].pid);
    const [one, other] = [await pool.connect(), await pool.connect()];
    const pids = await Promise.all([one, other].map(pidOf));
    await one.query('BEGIN READ ONLY');
    await expect(one.query(WRITE)).rejects.toMatchObject({ code: '25006' });
    one.release(true);
    other.release();
    const next = await pool.connect();
    expect(pids).not.toContain(await pidOf(next));
    next.release();
  });

  it('connects no client that listens to a server that accepts no writes', async () => {
    await failOver();
    const client = new ListeningClient({ connectionString: database.url });
    await expect(client.connect()).rejects.toThrow(NoConnectionError);
    await failBack();
  });

  it('ends a client that listens when its server accepts no writes any more', async () => {
    const client = new ListeningClient({ connectionString: database.url }, 20);
    await client.connect();
    await client.query('SET default_transaction_read_only = on');
    await eventually('it has ended', () => client.isBroken);
    await expect(client.query('SELECT')).rejects.toThrow();
  });
});
