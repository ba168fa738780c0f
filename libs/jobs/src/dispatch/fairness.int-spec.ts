import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { Queue, Worker, type Job as Entry } from 'bullmq';
import { KNOWN_FEATURES } from '@app/capture';
import { Env } from '@app/config';
import { newId } from '@app/kernel';
import { BACKENDS } from '../../../../test/support/backends.js';
import type { TestDatabase } from '../../../../test/support/database.js';
import { startJobs } from '../../../../test/support/jobs.js';
import type { StartedModules } from '../../../../test/support/modules.js';
import { AttemptsService, WorkerRegistryService } from '../index.js';
import { queueConnection } from '../queue/queue-connection.js';
import { DispatcherService } from './dispatcher.service.js';

const WORKER = {
  id: 'w',
  busy: 0,
  healthy: 1,
  browser: 'x',
  sandbox: true,
  filterLists: [],
  features: KNOWN_FEATURES,
};

interface Started {
  readonly id: string;
  readonly account: string;
  readonly batch: string | null;
  readonly host: string;
  readonly entry: Entry;
}

describe.each(BACKENDS)('fair shares, with the queue in %s', (_, settings) => {
  let service: StartedModules;
  let env: Env;
  let app: INestApplicationContext;
  let client: TestDatabase;
  let dispatcher: DispatcherService;
  let fetcher: Worker;
  let running: Started[];
  let slotsOfWorker: number;

  beforeAll(async () => {
    service = await startJobs({ settings: { HOST_CONCURRENCY: '1000', ...(await settings()) } });
    ({ app, database: client } = service);
    env = app.get(Env);
    dispatcher = app.get(DispatcherService);
    // Has no processor, so it fetches only when getNextJob is called.
    fetcher = new Worker('background', null, { connection: queueConnection(env) });
    fetcher.on('error', () => undefined);
  });

  afterAll(async () => {
    await fetcher.close();
    await service.close();
  });

  beforeEach(async () => {
    running = [];
    await client.query('TRUNCATE jobs, batches, concurrency_slots, workers');
    const queue = new Queue('background', { connection: queueConnection(env) });
    queue.on('error', () => undefined);
    await queue.obliterate({ force: true });
    await queue.close();
  });

  const workerOf = (count: number) => {
    slotsOfWorker = count;
    return report();
  };
  const report = () => app.get(WorkerRegistryService).report({ ...WORKER, slots: slotsOfWorker });
  const account = (): Promise<string> => client.addAccount({ allowance: 1_000_000, concurrency: 1_000 });
  /** Inserts the rows of an accepted batch; `host` may use `n`, the number of the row. */
  const batch = async (accountId: string, rows: number, host = `'host-' || n || '.test'`) => {
    const id = newId();
    await client.query(
      `INSERT INTO batches (id, account_id, status, total, queued) VALUES ($1, $2, 'queued', $3, $3)`,
      [id, accountId, rows],
    );
    await add(accountId, { source: 'batch', batchId: id, rows, host });
    return id;
  };
  const single = (accountId: string, rows = 1) =>
    add(accountId, { source: 'job', batchId: null, rows, host: `'host-' || n || '.test'` });
  const add = (
    accountId: string,
    { source, batchId, rows, host }: { source: string; batchId: string | null; rows: number; host: string },
  ) =>
    client.query(
      `INSERT INTO jobs (id, account_id, source, batch_id, batch_row, status, url, host, format, options, timeout_ms, usage_period)
       SELECT gen_random_uuid(), $1, $2, $3, CASE WHEN $2 = 'batch' THEN n END, 'queued', 'https://x.test/', ${host}, 'png', '{}', 60000, '2026-11'
         FROM generate_series(1, $4::int) AS n`,
      [accountId, source, batchId, rows],
    );
  const dispatch = async (): Promise<void> => {
    // Like a live worker: nothing is dispatched for one that has not reported for 15 s.
    await report();
    while ((await dispatcher.round()) > 0);
  };
  /** Does what a free slot of a worker does: it takes the next entry and claims its job. */
  const start = async (): Promise<Started> => {
    const entry = (await fetcher.getNextJob(newId(), { block: false })) as
      | Entry<{ jobId: string }>
      | undefined;
    if (!entry) throw new Error('The queue is empty');
    const job = await app.get(AttemptsService).claim(entry.data.jobId, 'w');
    if (!job) throw new Error('The job cannot be claimed');
    const { id, accountId, batchId, host } = job;
    const started = { id, account: accountId, batch: batchId, host: host ?? '', entry };
    running.push(started);
    return started;
  };
  /** Ends the job that has run for the longest time. */
  const end = async (): Promise<void> => {
    const first = running.shift();
    if (!first) throw new Error('Nothing runs');
    await client.query(`UPDATE jobs SET status = 'succeeded', finished_at = now() WHERE id = $1`, [first.id]);
    await client.query(`DELETE FROM concurrency_slots WHERE job_id = $1`, [first.id]);
    await first.entry.moveToCompleted(null, first.entry.token ?? '', false);
  };
  /** Lets a batch have all slots for a while. */
  const occupy = async (slots: number, accountId: string, rows: number): Promise<void> => {
    await batch(accountId, rows);
    await dispatch();
    for (let i = 0; i < slots; i++) await start();
    for (let i = 0; i < 3 * slots; i++) await turnOver();
  };
  /** Ends a capture, and lets its slot take the next one. */
  const turnOver = async (): Promise<Started> => {
    await end();
    const next = await start();
    await dispatch();
    return next;
  };

  it.each([1, 4])('let a job of another account run next, beside a batch on %d slots', async (slots) => {
    await workerOf(slots + 1);
    const [many, few] = [await account(), await account()];
    await occupy(slots, many, 2_000);
    await single(few);
    await dispatch();
    expect((await turnOver()).account).toBe(few);
    expect((await turnOver()).account).toBe(many);
  });

  it('let as many jobs of another account run next as its share of the slots', async () => {
    await workerOf(5);
    const [many, few] = [await account(), await account()];
    await occupy(4, many, 200);
    await single(few, 2);
    await dispatch();
    expect([(await turnOver()).account, (await turnOver()).account]).toEqual([few, few]);
  });

  it('let the first job of each account run next, in the order in which they came', async () => {
    await workerOf(2);
    const [many, one, two] = [await account(), await account(), await account()];
    await occupy(1, many, 200);
    await single(one, 5);
    await dispatch();
    await single(two, 5);
    await dispatch();
    const started: string[] = [];
    for (let i = 0; i < 9; i++) started.push((await turnOver()).account);
    expect(started.slice(0, 2)).toEqual([one, two]);
    for (const each of [many, one, two]) {
      expect(started.filter((id) => id === each).length).toBeGreaterThanOrEqual(2);
    }
  });

  it('let no later account overtake older entries forever', async () => {
    await workerOf(5);
    const [first, second] = [await account(), await account()];
    await occupy(4, first, 500);
    await batch(second, 500);
    await dispatch();
    for (let i = 0; i < 12; i++) await turnOver();
    const started: string[] = [];
    for (let i = 0; i < 24; i++) started.push((await turnOver()).account);
    const ofFirst = started.filter((id) => id === first).length;
    expect(ofFirst).toBeGreaterThanOrEqual(8);
    expect(ofFirst).toBeLessThanOrEqual(16);
  });

  it('let no account that submits one job after the other starve a batch', async () => {
    await workerOf(2);
    const many = await account();
    await occupy(1, many, 200);
    const others = [await account(), await account()];
    for (const each of others) await single(each);
    await dispatch();
    const started: string[] = [];
    for (let i = 0; i < 12; i++) {
      await end();
      const { account: next } = await start();
      started.push(next);
      // Like a caller who submits the next job when one has ended.
      for (const each of others) {
        const left = await client.query(
          `SELECT FROM jobs WHERE account_id = $1 AND status IN ('queued', 'running')`,
          [each],
        );
        if (left.rowCount === 0) await single(each);
      }
      await dispatch();
    }
    expect(started.filter((id) => id === many).length).toBeGreaterThanOrEqual(3);
  });

  it('run a retried row after the jobs in flight of its account, and before the rest of its batch', async () => {
    await workerOf(2);
    const accountId = await account();
    await occupy(1, accountId, 50);
    const [retried] = running.splice(0);
    if (!retried) throw new Error('Nothing runs');
    const { attempt } = (
      await client.query<{ attempt: number }>('SELECT attempt FROM jobs WHERE id = $1', [retried.id])
    ).rows[0] ?? { attempt: 0 };
    expect(await app.get(AttemptsService).handBack({ id: retried.id, attempt })).toBe('again');
    await retried.entry.moveToCompleted(null, retried.entry.token ?? '', false);
    await start();
    await dispatch();
    const started = [await turnOver(), await turnOver()].map(({ id }) => id);
    expect(started).toContain(retried.id);
  });

  it('let a single job overtake the batches of its own account', async () => {
    await workerOf(2);
    const accountId = await account();
    const first = await batch(accountId, 2_000);
    await dispatch();
    await start();
    const second = await batch(accountId, 2_000);
    await single(accountId);
    const started: (string | null)[] = [];
    for (let i = 0; i < 6; i++) started.push((await turnOver()).batch);
    expect(started.indexOf(null)).toBeLessThanOrEqual(2);
    expect(started.filter((id) => id === second).length).toBeGreaterThanOrEqual(2);
    expect(started.filter((id) => id === first).length).toBeGreaterThanOrEqual(2);
  });

  it('limit each batch to 4 captures of one host, whatever the general limit', async () => {
    await workerOf(21);
    const accountId = await account();
    const [one, two] = [
      await batch(accountId, 100, `'same.test'`),
      await batch(accountId, 100, `'same.test'`),
    ];
    await single(accountId, 3);
    await dispatch();
    const { rows } = await client.query<{ batch_id: string | null; jobs: number }>(
      `SELECT batch_id, count(*)::int AS jobs FROM jobs WHERE dispatched_at IS NOT NULL GROUP BY 1`,
    );
    const jobs = new Map(rows.map((row) => [row.batch_id, row.jobs]));
    expect(jobs).toEqual(
      new Map([
        [one, 4],
        [two, 4],
        [null, 3],
      ]),
    );
  });

  it('find the rows of other hosts behind thousands of rows of a busy one', async () => {
    await workerOf(21);
    const accountId = await account();
    await batch(
      accountId,
      3_000,
      `CASE WHEN n < 2990 THEN 'same.test' WHEN n < 2995 THEN 'calm-' || n || '.test' END`,
    );
    await dispatch();
    const { rows } = await client.query<{ same: number; calm: number }>(
      `SELECT count(*) FILTER (WHERE host = 'same.test')::int AS same,
              count(*) FILTER (WHERE host IS DISTINCT FROM 'same.test')::int AS calm
         FROM jobs WHERE dispatched_at IS NOT NULL`,
    );
    expect(rows).toEqual([{ same: 4, calm: 11 }]);
  });
});
