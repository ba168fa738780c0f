/**
 * `npm run bench -- backlog [--jobs 100000 --accounts 50 --idle 20]`: what a backlog costs. It measures the same work with
 * 1,000 and then with 100,000 queued rows of batches of 50 accounts, all accepted by the API: answers of the API, rounds of
 * the dispatcher, and the CPU of every process while nothing happens. The last column is the ratio of the two medians; work
 * whose cost does not grow with the backlog has one of about 1.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Test } from '@nestjs/testing';
import { KNOWN_FEATURES } from '@app/capture';
import { ConfigModule, loadEnv } from '@app/config';
import { DatabaseModule } from '@app/database';
import {
  DispatcherService,
  JobDispatchModule,
  RunnableJobsModule,
  RunnableJobsService,
  WorkerRegistryService,
} from '@app/jobs';
import { startApps } from '../test/support/apps.js';
import { freePort } from '../test/support/free-port.js';
import { BODY, Callers, openAccounts, type Account } from './load.js';
import { readTree } from './process-tree.js';
import { percentile } from './round.js';

const FEW = 1_000;
/** Many, so that the limit of a host delays no round. */
const HOSTS = 1_000;

const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '100000' },
    accounts: { type: 'string', default: '50' },
    /** Calls of each kind. */
    calls: { type: 'string', default: '200' },
    /** Seconds for which the CPU of idle processes is read. */
    idle: { type: 'string', default: '20' },
  },
});
const calls = Number(values.calls);

const metricsPort = await freePort();
await using apps = await startApps({ METRICS_PORT: String(metricsPort) });
const { database } = apps;
const accounts = await openAccounts(apps.database.url, Number(values.accounts));
const callers = new Callers(apps.url, 1);
await apps.worker.stop();

/** The medians of each level, by what was measured. */
const medians = new Map<string, number[]>();
let accepted = 0;
for (const level of [FEW, Number(values.jobs)]) {
  await fillUpTo(level);
  await holdSlots();
  await measureIdle();
  await measureApi();
  await measureDispatcher();
}
for (const [what, [few = NaN, many = NaN]] of medians) {
  const cells = [few, many].map((value) => value.toFixed(2).padStart(10));
  console.log(`${what.padEnd(52)}${cells.join('')}${(many / few).toFixed(2).padStart(8)} ×`);
}
callers.close();

/** Adds batches until so many rows are queued; the rows are those of all accounts in equal parts. */
async function fillUpTo(rows: number): Promise<void> {
  const each = Math.ceil((rows - accepted) / accounts.length);
  for (const { key } of accounts) {
    const items = Array.from({ length: each }, (_, n) => ({
      url: `https://host-${(accepted + n) % HOSTS}.example/${accepted + n}`,
    }));
    const response = await fetch(`${apps.url}/v1/bulk/json`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ items }),
    });
    if (response.status !== 202) throw new Error(`${response.status}: ${await response.text()}`);
    accepted += each;
  }
  // As autovacuum leaves the tables a minute later.
  await database.query('VACUUM ANALYZE');
  console.log(`${accepted} rows of ${accounts.length} accounts are queued`);
}

/** All slots of all accounts are held, so that every job waits and workers have nothing to do. */
async function holdSlots(): Promise<void> {
  await database.query('DELETE FROM concurrency_slots');
  await database.query(
    `INSERT INTO concurrency_slots (job_id, account_id, held_until, free_by)
     SELECT gen_random_uuid(), id, hold.until, hold.until
       FROM accounts, generate_series(1, concurrency), (SELECT now() + interval '1 hour' AS until) AS hold`,
  );
}

async function measureIdle(): Promise<void> {
  const worker = await apps.launch('worker');
  await worker.ready();
  const { rows } = await database.query<{ pid: number }>(
    `SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int AS pid`,
  );
  const processes = { API: apps.api.pid, worker: worker.pid, PostgreSQL: rows[0]?.pid ?? 0 };
  await sleep(5_000);
  const before = Object.values(processes).map((pid) => readTree([pid]).cpuS);
  await sleep(Number(values.idle) * 1_000);
  for (const [n, [name, pid]] of Object.entries(processes).entries()) {
    const cpuS = readTree([pid]).cpuS - (before[n] ?? 0);
    add(`idle ${name}, % of a core`, [(100 * cpuS) / Number(values.idle)]);
  }
  await worker.stop();
}

async function measureApi(): Promise<void> {
  const paths: string[] = [];
  await time(
    'POST /v1/jobs, ms',
    { repeats: calls },
    async (account) => void paths.push(await callers.submit(account)),
  );
  const ids = await lastRows();
  await time('GET /v1/jobs/{id}, last row of a batch, ms', { repeats: calls }, (account) =>
    callers.get(`/v1/jobs/${ids.get(account.id) ?? ''}`, account),
  );
  // Longer than these answers are kept.
  await time('GET /v1/status, not cached, ms', { repeats: 7, pauseMs: 1_050 }, (account) =>
    callers.get('/v1/status', account),
  );
  await time('GET /metrics/queue, not cached, ms', { repeats: 7, pauseMs: 3_050 }, () =>
    scrape('/metrics/queue'),
  );
  await time('GET /metrics/queue, cached, ms', { repeats: calls }, () => scrape('/metrics/queue'));
  await time('GET /metrics of the API, ms', { repeats: 15 }, () => scrape('/metrics'));
  // The submitted jobs would be in the way of the dispatcher, which counts rounds of the same rows.
  await database.query(`DELETE FROM jobs WHERE source = 'job'`);
  if (paths.length === 0) throw new Error(`No job was accepted with ${BODY}`);
}

async function lastRows(): Promise<Map<string, string>> {
  const { rows } = await database.query<{ account: string; id: string }>(
    `SELECT DISTINCT ON (account_id) account_id AS account, id FROM jobs
      WHERE source = 'batch' ORDER BY account_id, created_at DESC, batch_row DESC`,
  );
  return new Map(rows.map(({ account, id }) => [account, id]));
}

async function scrape(path: string): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${metricsPort}${path}`);
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
}

async function measureDispatcher(): Promise<void> {
  const env = loadEnv({ ...apps.env, DATABASE_URL: apps.database.url });
  const imports = [
    ConfigModule.forEnvironment(env),
    DatabaseModule.connect('bench'),
    JobDispatchModule,
    RunnableJobsModule,
  ];
  const app = await (await Test.createTestingModule({ imports }).compile()).init();
  const dispatcher = app.get(DispatcherService);
  const worker = {
    id: 'bench',
    // Of these, 50 take background captures, and a round dispatches two for each.
    slots: 58,
    busy: 0,
    healthy: 58,
    browser: 'x',
    sandbox: true,
    filterLists: [],
    features: KNOWN_FEATURES,
  };
  const report = () => app.get(WorkerRegistryService, { strict: false }).report(worker);
  await report();
  await time(
    'round that dispatches nothing, ms',
    { repeats: 30 },
    async () => void (await dispatcher.round()),
  );
  await database.query('DELETE FROM concurrency_slots');
  await time(
    'reading what could run, ms',
    { repeats: 30 },
    async () => void (await app.get(RunnableJobsService).count()),
  );
  add('round that dispatches 100 jobs, ms', await timeRounds(dispatcher, report));
  await database.query('DELETE FROM workers');
  await app.close();
}

/** Times rounds, after each of which the jobs wait again. */
async function timeRounds(dispatcher: DispatcherService, report: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < 15; n += 1) {
    await report();
    const begin = performance.now();
    const dispatched = await dispatcher.round();
    times.push(performance.now() - begin);
    if (dispatched !== 100) throw new Error(`A round has dispatched ${dispatched} instead of 100 jobs`);
    await database.query('UPDATE jobs SET dispatched_at = NULL WHERE dispatched_at IS NOT NULL');
    await database.query('DELETE FROM concurrency_slots');
    await database.query('DELETE FROM queue.job');
  }
  return times;
}

/** Times the work, which takes one account after the other; waits for `pauseMs` before each. */
async function time(
  what: string,
  { repeats, pauseMs = 0 }: { readonly repeats: number; readonly pauseMs?: number },
  work: (account: Account) => Promise<void>,
): Promise<void> {
  const times: number[] = [];
  for (let n = 0; n < repeats; n += 1) {
    const account = accounts[n % accounts.length];
    if (!account) throw new Error('There is no account');
    if (pauseMs > 0) await sleep(pauseMs);
    const begin = performance.now();
    await work(account);
    times.push(performance.now() - begin);
  }
  add(what, times);
}

function add(what: string, times: readonly number[]): void {
  medians.set(what, [...(medians.get(what) ?? []), percentile(times, 0.5)]);
}
