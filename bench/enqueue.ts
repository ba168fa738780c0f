/**
 * `npm run bench -- enqueue`: how many jobs per second the API accepts over 16 connections, of one account and of eight,
 * compared with bare rows: one INSERT each into the same table, also over 16 connections. Rounds alternate, so that other
 * load of the machine affects all. One more connection reads jobs all the time, as a polling caller does.
 */
import os from 'node:os';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { newId } from '@app/kernel';
import { startApps } from '../test/support/apps.js';
import { BODY, Callers, openAccounts, perSecond, type Account } from './load.js';
import { percentile } from './round.js';

const CONNECTIONS = 16;
const ACCOUNTS = 8;

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '5' }, rounds: { type: 'string', default: '3' } },
});
const roundMs = Number(values.seconds) * 1_000;
const rounds = Number(values.rounds);

await using apps = await startApps();
// The bench measures acceptance; a worker would capture at the same time.
await apps.worker.stop();
const accounts = await openAccounts(apps.database.url, ACCOUNTS);
const pool = new pg.Pool({ connectionString: apps.database.url, max: CONNECTIONS });
const callers = new Callers(apps.url, CONNECTIONS + 1);

const contestants = {
  'bare rows': () => rowsRound(accounts[0]?.id ?? ''),
  'one account': () => httpRound(accounts.slice(0, 1)),
  'eight accounts': () => httpRound(accounts),
};
const results = new Map<string, { perSecond: number[]; polls: number[] }>();

for (let i = -1; i < rounds; i++) {
  for (const [name, run] of Object.entries(contestants)) {
    const { rate, polls } = await run();
    if (i < 0) continue;
    const result = results.get(name) ?? { perSecond: [], polls: [] };
    result.perSecond.push(rate);
    result.polls.push(...polls);
    results.set(name, result);
  }
}
print();
callers.close();
await pool.end();

interface Result {
  /** Jobs per second. */
  readonly rate: number;
  /** Time in ms of each GET. */
  readonly polls: number[];
}

async function rowsRound(accountId: string): Promise<Result> {
  return { rate: await perSecond(CONNECTIONS, roundMs, () => insertRow(accountId)), polls: [] };
}

async function httpRound(of: readonly Account[]): Promise<Result> {
  const latest: { path: string; account: Account }[] = [];
  const polls: number[] = [];
  let isOver = false;
  const polling = (async () => {
    while (!isOver) {
      const job = latest.at(Math.floor(Math.random() * latest.length));
      const begin = performance.now();
      if (job) await callers.get(job.path, job.account);
      if (job) polls.push(performance.now() - begin);
      else await new Promise(setImmediate);
    }
  })();
  const rate = await perSecond(CONNECTIONS, roundMs, async (client) => {
    const account = of[client % of.length] ?? { id: '', key: '' };
    latest[client] = { path: await callers.submit(account), account };
  });
  isOver = true;
  await polling;
  return { rate, polls };
}

async function insertRow(accountId: string): Promise<void> {
  await pool.query(
    `INSERT INTO jobs (id, account_id, source, status, url, host, format, options, timeout_ms, usage_period)
     VALUES ($1, $2, 'job', 'queued', 'https://example.com/', 'example.com', 'png', $3, 60000, 'ever')`,
    [newId(), accountId, BODY],
  );
}

function print(): void {
  const median = (name: string): number => percentile(results.get(name)?.perSecond ?? [], 0.5);
  const rows = median('bare rows');
  console.log(
    `load of the machine before: ${os.loadavg()[0]?.toFixed(1)}, cores: ${os.availableParallelism()}`,
  );
  for (const [name, { polls }] of results) {
    const poll = polls.length > 0 ? `, GET meanwhile p95 ${percentile(polls, 0.95).toFixed(1)} ms` : '';
    const rate = median(name);
    console.log(
      `${name.padEnd(16)}${rate.toFixed(0).padStart(6)}/s, ${(rate / rows).toFixed(2)} of bare rows${poll}`,
    );
  }
}
