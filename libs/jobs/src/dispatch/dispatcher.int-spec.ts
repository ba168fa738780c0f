import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { KNOWN_FEATURES, parseOptions } from '@app/capture';
import { UsageService } from '@app/usage';
import type { TestDatabase } from '../../../../test/support/database.js';
import { startJobs } from '../../../../test/support/jobs.js';
import type { StartedModules } from '../../../../test/support/modules.js';
import { AttemptsService, JobsService, RecoveryService, WorkerRegistryService } from '../index.js';
import { DispatcherService } from './dispatcher.service.js';
import { RunnableJobsModule } from './runnable-jobs.module.js';
import { RunnableJobsService } from './runnable-jobs.service.js';

const WORKER = {
  id: 'w',
  busy: 0,
  healthy: 1,
  browser: 'x',
  sandbox: true,
  filterLists: [],
  features: KNOWN_FEATURES,
};

interface Row {
  readonly id: string;
  readonly account: string;
  readonly host: string;
}

describe(DispatcherService.name, () => {
  let service: StartedModules;
  let app: INestApplicationContext;
  let client: TestDatabase;
  let dispatcher: DispatcherService;

  beforeAll(async () => {
    service = await startJobs({ settings: { HOST_CONCURRENCY: '3' }, imports: [RunnableJobsModule] });
    ({ app, database: client } = service);
    dispatcher = app.get(DispatcherService);
  });

  afterAll(() => service.close());

  beforeEach(async () => {
    await client.query('TRUNCATE jobs, concurrency_slots, workers');
    await client.query('DELETE FROM queue.job');
  });

  const workers = async (...slots: number[]): Promise<void> => {
    for (const [n, each] of slots.entries()) {
      await app.get(WorkerRegistryService).report({ ...WORKER, id: `w${n}`, slots: each });
    }
  };
  const account = (concurrency = 1_000): Promise<string> =>
    client.addAccount({ allowance: 1_000_000, concurrency });
  /** Inserts accepted jobs; `host` may use `n`, the number of the row. */
  const backlog = (accountId: string, rows: number, host = `'host-' || n || '.test'`) =>
    client.query(
      `INSERT INTO jobs (id, account_id, source, status, url, host, format, options, timeout_ms, usage_period)
       SELECT gen_random_uuid(), $1, 'job', 'queued', 'https://x.test/', ${host}, 'png', '{}', 60000, '2026-11'
         FROM generate_series(1, $2::int) AS n`,
      [accountId, rows],
    );
  const inFlight = async (): Promise<Row[]> => {
    const { rows } = await client.query<Row>(
      `SELECT id, account_id AS account, host FROM jobs
        WHERE dispatched_at IS NOT NULL AND status IN ('queued', 'running') ORDER BY dispatched_at`,
    );
    return rows;
  };
  const of = async (accountId: string) =>
    (await inFlight()).filter(({ account: each }) => each === accountId).length;
  const hints = async (): Promise<string[]> => {
    const { rows } = await client.query<{ id: string }>(`SELECT id FROM queue.job ORDER BY 1`);
    return rows.map(({ id }) => id);
  };
  /** Ends a job in flight, as a worker does. */
  const finish = async ({ id }: Row): Promise<void> => {
    await client.query(`UPDATE jobs SET status = 'succeeded' WHERE id = $1`, [id]);
    await client.query(`DELETE FROM concurrency_slots WHERE job_id = $1`, [id]);
  };

  const submit = (accountId: string, source: 'job' | 'sync') =>
    app.get(JobsService).submit({ accountId, source, options: parseOptions({ url: 'https://a.test' }) });

  it('dispatches an accepted job, which a worker can then claim', async () => {
    await workers(2);
    const accountId = await account();
    const { job } = await submit(accountId, 'job');
    expect(job.dispatchedAt).toBeNull();
    expect(await hints()).toEqual([]);
    expect(await dispatcher.round()).toBe(1);
    expect(await hints()).toEqual([`${job.id}.0`]);
    expect(await app.get(UsageService).report(accountId)).toMatchObject({ concurrency: { remaining: 999 } });
    expect(await app.get(AttemptsService).claim(job.id, 'w')).toMatchObject({
      status: 'running',
      attempt: 1,
    });
  });

  it('keeps the priorities of synchronous captures current, which are the numbers of their accounts at first', async () => {
    await workers(2);
    const [greedy, other] = [await account(), await account()];
    const own = [await submit(greedy, 'sync'), await submit(greedy, 'sync'), await submit(greedy, 'sync')];
    const { job } = await submit(other, 'sync');
    const ids = [...own.map((each) => each.job.id), job.id];
    const priorities = async () => {
      const { rows } = await client.query<{ row: number; entry: number }>(
        `SELECT jobs.priority AS row, entry.priority AS entry
           FROM unnest($1::uuid[]) WITH ORDINALITY AS listed (id, place) JOIN jobs USING (id)
           JOIN queue.job AS entry ON entry.id = jobs.id || '.0' ORDER BY place`,
        [ids],
      );
      expect(rows.map(({ row }) => row)).toEqual(rows.map(({ entry }) => entry));
      return rows.map(({ entry }) => entry);
    };
    expect(await priorities()).toEqual([1, 2, 3, 1]);
    await dispatcher.round();
    expect(await priorities()).toEqual([1, 2, 3, 1]);
    await client.query(`UPDATE jobs SET status = 'succeeded' WHERE id = ANY($1)`, [ids.slice(0, 2)]);
    expect(await dispatcher.round()).toBe(0);
    expect(await priorities()).toEqual([1, 2, 1, 1]);
  });

  it('lets a synchronous capture that was handed back run first, once it is the first of its account', async () => {
    await workers(2);
    const [greedy, other] = [await account(), await account()];
    const { job } = await submit(greedy, 'sync');
    const others = [await submit(greedy, 'sync'), await submit(greedy, 'sync')];
    await submit(other, 'sync');
    const claimed = await app.get(AttemptsService).claim(job.id, 'w0');
    if (!claimed) throw new Error('The job cannot be claimed.');
    await app.get(AttemptsService).handBack(claimed);
    await client.query(`UPDATE jobs SET status = 'succeeded' WHERE id = ANY($1)`, [
      others.map((each) => each.job.id),
    ]);
    const entry = async () =>
      (
        await client.query<{ priority: number }>('SELECT priority FROM queue.job WHERE id = $1', [
          `${job.id}.1`,
        ])
      ).rows;
    expect(await entry()).toEqual([{ priority: 3 }]);
    await dispatcher.round();
    expect(await entry()).toEqual([{ priority: 1 }]);
  });

  it('counts synchronous captures when it numbers the jobs of an account', async () => {
    await workers(4);
    const accountId = await account();
    await submit(accountId, 'sync');
    const { job } = await submit(accountId, 'job');
    await dispatcher.round();
    const { rows } = await client.query(`SELECT priority FROM jobs WHERE id = $1`, [job.id]);
    expect(rows).toEqual([{ priority: 2 }]);
  });

  it('knows how many waiting jobs more slots would run, with and without workers', async () => {
    const runnable = () => app.get(RunnableJobsService).count();
    expect(await runnable()).toBe(0);
    await backlog(await account(4), 50);
    expect(await runnable()).toBe(4);
    await backlog(await account(), 500, `'one-host.test'`);
    expect(await runnable()).toBe(4 + 3);
    await backlog(await account(), 500);
    expect(await runnable()).toBe(4 + 3 + 200);
    await workers(4);
    const dispatched = await dispatcher.round();
    expect(dispatched).toBeGreaterThan(0);
    expect(await runnable()).toBeLessThan(4 + 3 + 200);
    const [first] = await inFlight();
    await client.query('UPDATE accounts SET concurrency = 1 WHERE id = $1', [first?.account]);
    const held = await runnable();
    await client.query('UPDATE accounts SET concurrency = 2 WHERE id <> $1', [first?.account]);
    expect(await runnable()).toBeLessThan(held);
  });

  it('keeps two jobs in flight for each background slot of the workers that are alive', async () => {
    await workers(3, 1);
    await backlog(await account(), 20);
    expect(await dispatcher.round()).toBe(2 * (2 + 1));
    expect(await dispatcher.round()).toBe(0);
    const [first] = await inFlight();
    if (first) await finish(first);
    expect(await dispatcher.round()).toBe(1);
  });

  it('dispatches nothing without a worker', async () => {
    await backlog(await account(), 3);
    expect(await dispatcher.round()).toBe(0);
  });

  it('lets five jobs of one account overtake 2,000 that another submitted before', async () => {
    await workers(2);
    const [crowd, few] = [await account(), await account()];
    await backlog(crowd, 2_000);
    await dispatcher.round();
    await backlog(few, 5);
    const done: string[] = [];
    while (done.filter((id) => id === few).length < 5) {
      const [oldest] = await inFlight();
      if (!oldest) throw new Error('nothing is in flight');
      await finish(oldest);
      done.push(oldest.account);
      await dispatcher.round();
    }
    // Two jobs were in flight before; from then on the accounts alternate.
    expect(done.length).toBeLessThanOrEqual(2 + 2 * 5);
  });

  it('alternates between accounts although there are more accounts than places', async () => {
    await workers(2);
    const accounts = [await account(), await account(), await account(), await account()];
    for (const each of accounts) await backlog(each, 50);
    const done: string[] = [];
    while (done.length < 12) {
      await dispatcher.round();
      const [oldest] = await inFlight();
      if (!oldest) throw new Error('nothing is in flight');
      await finish(oldest);
      done.push(oldest.account);
    }
    expect(accounts.map((each) => done.filter((id) => id === each).length)).toEqual([3, 3, 3, 3]);
  });

  it('keeps to the limit of a host over all accounts, and dispatches jobs of other hosts behind it', async () => {
    await workers(21);
    const [one, two] = [await account(), await account()];
    await backlog(one, 100, `'busy.test'`);
    await backlog(two, 100, `'busy.test'`);
    await backlog(one, 5, `'calm-' || n % 2 || '.test'`);
    await backlog(two, 2, 'NULL');
    while ((await dispatcher.round()) > 0);
    const hosts = (await inFlight()).map(({ host }) => host);
    expect(hosts.filter((host) => host === 'busy.test')).toHaveLength(3);
    expect(hosts.filter((host) => host?.startsWith('calm'))).toHaveLength(5);
    expect(hosts.filter((host) => host === null)).toHaveLength(2);
  });

  it('never exceeds the concurrency of an account, however many dispatch and accept at the same time', async () => {
    await workers(40);
    const accountId = await account(7);
    await backlog(accountId, 100);
    const rounds = Array.from({ length: 4 }, () => dispatcher.round());
    await Promise.allSettled([
      ...rounds,
      ...Array.from({ length: 8 }, () => submit(accountId, 'sync')),
      dispatcher.round(),
    ]);
    await dispatcher.round();
    expect(await of(accountId)).toBe(7);
    const { concurrency } = await app.get(UsageService).report(accountId);
    expect(concurrency.remaining).toBe(0);
  });

  it('dispatches each job once, however many dispatch at once', async () => {
    await workers(40);
    await backlog(await account(), 30);
    const rounds = await Promise.all(Array.from({ length: 5 }, () => dispatcher.round()));
    const rest = await dispatcher.round();
    expect(rounds.reduce((sum, count) => sum + count, rest)).toBe(30);
    expect(await hints()).toHaveLength(30);
  });

  it('loses nothing when its process dies between the commit and the hint', async () => {
    await workers(2);
    await backlog(await account(), 2);
    await dispatcher.round();
    const before = await hints();
    await client.query('DELETE FROM queue.job');
    expect(await dispatcher.round()).toBe(0);
    await client.query(`UPDATE jobs SET dispatched_at = dispatched_at - interval '10 s'`);
    await app.get(RecoveryService).repeatHints();
    expect(await hints()).toEqual(before);
  });

  it('skips a job that is being canceled', async () => {
    await workers(2);
    const accountId = await account();
    const { job } = await submit(accountId, 'job');
    await using other = await client.session();
    await other.query('BEGIN');
    await other.query(`UPDATE jobs SET status = 'canceled' WHERE id = $1`, [job.id]);
    expect(await dispatcher.round()).toBe(0);
    await other.query('COMMIT');
    expect(await dispatcher.round()).toBe(0);
  });
});
