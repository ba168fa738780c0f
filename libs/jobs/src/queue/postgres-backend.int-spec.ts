import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Queue, setDefaultBackendFactory, Worker, type ConnectionOptions } from 'bullmq';
import type pg from 'pg';
import { loadEnv } from '@app/config';
import { ListeningClient, Pool } from '@app/database';
import { createDatabase, type TestDatabase } from '../../../../test/support/database.js';
import { eventually } from '../../../../test/support/eventually.js';
import { FaultProxy } from '../../../../test/support/fault-proxy.js';
import { migrateQueue, queueConnection } from './queue-connection.js';

/** Private parts of BullMQ. */
interface OwnConnection {
  readonly pgModule: { readonly Client: unknown };
  readonly pool: unknown;
  getListenClient(): Promise<pg.Client>;
}

describe('the queue in PostgreSQL', () => {
  let proxy: FaultProxy;
  let client: TestDatabase;
  let connection: ConnectionOptions;
  let name: string;
  let open: (Queue | Worker)[];
  let queues = 0;

  beforeAll(async () => {
    client = await createDatabase();
    await migrateQueue(loadEnv({ DATABASE_URL: client.url }));
  });

  afterAll(async () => {
    setDefaultBackendFactory();
    await client.drop();
  });

  beforeEach(async () => {
    proxy = await FaultProxy.before(client.url);
    connection = queueConnection(loadEnv({ DATABASE_URL: proxy.proxied(client.url) }));
    name = `lane-${queues++}`;
    open = [];
  });

  afterEach(async () => {
    await proxy.set('pass');
    await Promise.all(open.map((each) => each.close()));
    await proxy.close();
  });

  const aQueue = (): Queue => {
    const queue = new Queue(name, { connection }).on('error', () => undefined);
    open.push(queue);
    return queue;
  };
  const aWorker = (process: () => Promise<void>): Worker => {
    const worker = new Worker(name, process, { connection, runRetryDelay: 100 }).on('error', () => undefined);
    open.push(worker);
    return worker;
  };

  it('migrates once although several processes start at once', async () => {
    const env = loadEnv({ DATABASE_URL: client.url });
    await expect(Promise.all(Array.from({ length: 4 }, () => migrateQueue(env)))).resolves.toHaveLength(4);
  });

  it('takes jobs after a first connect that failed', async () => {
    await proxy.set('refuse');
    const queue = aQueue();
    await expect(queue.add('capture', { jobId: 'a' })).rejects.toThrow();
    await proxy.set('pass');
    await eventually('the queue takes a job', () =>
      queue.add('capture', { jobId: 'b' }).then(
        () => true,
        () => false,
      ),
    );
  });

  it('runs jobs after the worker found no server at its start', async () => {
    await proxy.set('refuse');
    let runs = 0;
    const worker = aWorker(() => Promise.resolve(void runs++));
    await expect(worker.waitUntilReady()).rejects.toThrow();
    await proxy.set('pass');
    await aQueue().add('capture', { jobId: 'a' });
    await eventually('the job ran', () => runs === 1);
  });

  it('opens every connection, also the one that listens, with the classes that survive its end', async () => {
    const worker = aWorker(() => Promise.resolve());
    await worker.waitUntilReady();
    const { connection: own } = (worker as unknown as { backend: { connection: OwnConnection } }).backend;
    expect(own.pgModule.Client).toBe(ListeningClient);
    expect(own.pool).toBeInstanceOf(Pool);
  });

  it('runs jobs after all its connections were cut', async () => {
    let runs = 0;
    aWorker(() => Promise.resolve(void runs++));
    const queue = aQueue();
    await queue.add('capture', { jobId: 'a' });
    await eventually('the first job ran', () => runs === 1);
    proxy.cut();
    await eventually('the queue takes a job again', () =>
      queue.add('capture', { jobId: 'b' }).then(
        () => true,
        () => false,
      ),
    );
    await eventually('the second job ran', () => runs === 2);
  });

  it('waits for no disk, because an entry that is lost is added again', async () => {
    const worker = aWorker(() => Promise.resolve());
    await worker.waitUntilReady();
    const { connection: own } = (worker as unknown as { backend: { connection: OwnConnection } }).backend;
    const pool = own.pool as pg.Pool;
    const { rows } = await pool.query<{ synchronous_commit: string }>('SHOW synchronous_commit');
    expect(rows).toEqual([{ synchronous_commit: 'off' }]);
  });

  it('leaves a server that accepts no writes once its address leads to one that does', async () => {
    await using admin = await client.session();
    const database = new URL(client.url).pathname.slice(1);
    await admin.query(`ALTER DATABASE ${database} SET default_transaction_read_only = on`);
    let runs = 0;
    const worker = aWorker(() => Promise.resolve(void runs++));
    const queue = aQueue();
    try {
      await worker.waitUntilReady();
      await expect(queue.add('capture', { jobId: 'a' })).rejects.toThrow();
    } finally {
      await admin.query(`ALTER DATABASE ${database} RESET default_transaction_read_only`);
    }
    await eventually('the queue takes a job', () =>
      queue.add('capture', { jobId: 'b' }).then(
        () => true,
        () => false,
      ),
    );
    await eventually('the job ran', () => runs === 1);
    const { backend } = worker as unknown as { backend: { connection: OwnConnection } };
    const { rows } = await (await backend.connection.getListenClient()).query('SHOW transaction_read_only');
    expect(rows).toEqual([{ transaction_read_only: 'off' }]);
  });

  it.each([
    ...['57P01', '57P03', '08006', '53300', '55000', '25006'].map((code) => [code, 'ECONNREFUSED'] as const),
    ...['23505', '42P01', '40001'].map((code) => [code, code] as const),
  ])(
    'reports a statement that fails with %s as %s, after which BullMQ waits if no server was there',
    async (raised, code) => {
      const worker = aWorker(() => Promise.resolve());
      await worker.waitUntilReady();
      const { backend } = worker as unknown as { backend: { query(text: string): Promise<unknown> } };
      const failing = backend.query(`DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '${raised}'; END $$`);
      await expect(failing).rejects.toMatchObject({ code });
    },
  );

  it('completes a job whose completion met a server that was going down', async () => {
    const failed: string[] = [];
    const completed: string[] = [];
    let refused = false;
    const worker = aWorker(async () => {
      // Ends every session of the queue at the moment when the completion is to be written.
      await client.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()`,
      );
      refused = true;
    });
    worker.on('failed', (_, error) => failed.push(error.message));
    worker.on('completed', ({ id = '' }) => completed.push(id));
    await aQueue().add('capture', { jobId: 'a' }, { jobId: 'job-a', attempts: 1 });
    await eventually('the job completed', () => completed.length > 0 || failed.length > 0);
    expect(refused).toBe(true);
    expect(failed).toEqual([]);
    expect(completed).toEqual(['job-a']);
  });
});
