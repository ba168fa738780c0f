import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createDatabase, type TestDatabase } from '../../../test/support/database.js';
import { eventually } from '../../../test/support/eventually.js';
import type pg from 'pg';
import { Client } from './client.js';
import { Pool } from './pool.js';

interface Backend {
  readonly pid: number;
}

/** Unlike `once` of Node, it adds no listener for errors. */
const endOf = (client: pg.ClientBase): Promise<void> =>
  new Promise((resolve) => {
    client.once('end', resolve);
  });

const PID = 'SELECT pg_backend_pid() AS pid';

describe(Client.name, () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createDatabase();
  });

  afterAll(() => database.drop());

  const terminate = ({ pid }: Backend) => database.query('SELECT pg_terminate_backend($1)', [pid]);

  // An error event without a listener is thrown, and Jest fails the test for it.
  it('survives the end of its connection while nobody listens', async () => {
    const client = new Client({ connectionString: database.url });
    await client.connect();
    const { rows } = await client.query<Backend>(PID);
    const ended = endOf(client);
    await terminate(rows[0] as Backend);
    await ended;
    await expect(client.query('SELECT')).rejects.toThrow(/not queryable|terminat/);
  });

  it('serves the connections of a pool, which survive between two statements of a transaction', async () => {
    const pool = new Pool({ connectionString: database.url });
    const client = await pool.connect();
    await client.query('BEGIN');
    const { rows } = await client.query<Backend>(PID);
    const ended = endOf(client);
    await terminate(rows[0] as Backend);
    await ended;
    await expect(client.query('COMMIT')).rejects.toThrow(/not queryable|terminat/);
    client.release(true);
    await pool.end();
  });

  it('serves a pool, which survives the end of an idle connection', async () => {
    const pool = new Pool({ connectionString: database.url, max: 1 });
    const { rows } = await pool.query<Backend>(PID);
    await terminate(rows[0] as Backend);
    await eventually('the connection is gone', () => pool.totalCount === 0);
    const { rows: next } = await pool.query<Backend>(PID);
    expect(next).not.toEqual(rows);
    await pool.end();
  });
});
