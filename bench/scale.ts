/**
 * `npm run bench -- scale [--slots 3 --jobs 24 --ms 2000]`: jobs per second with 1, 2 and 4 worker processes, on pages
 * that wait and compute nothing: they show the cost of what is shared (database, queue, dispatcher), not of rendering.
 */
import { parseArgs } from 'node:util';
import pg from 'pg';
import { startApp } from '../test/support/app-process.js';
import { startApps, type Apps } from '../test/support/apps.js';
import { Client } from '../test/support/client.js';
import { eventually } from '../test/support/eventually.js';
import { startFixtureSite } from '../test/support/fixture-site.js';
import { freePort } from '../test/support/free-port.js';

const LEVELS = [1, 2, 4];
const DEADLINE_MS = 600_000;

const { values } = parseArgs({
  options: {
    /** Slots of each worker; one is reserved for synchronous captures. */
    slots: { type: 'string', default: '3' },
    /** Jobs for each worker in one measurement. */
    jobs: { type: 'string', default: '24' },
    /** Time in ms that a page waits. */
    ms: { type: 'string', default: '2000' },
  },
});
const jobsEach = Number(values.jobs);

const site = await startFixtureSite();
const apps = await startApps({
  EGRESS_ALLOW: `127.0.0.1:${site.port}`,
  WORKER_SLOTS: values.slots,
  HOST_CONCURRENCY: '1000',
});
const workers = [apps.worker];
const database = new pg.Client({ connectionString: apps.database.url });
try {
  await database.connect();
  // The limit of one account is not what the bench measures.
  await database.query('UPDATE accounts SET concurrency = 1000');
  await measure(apps, 2);
  const rates: number[] = [];
  for (const level of LEVELS) {
    while (workers.length < level) workers.push(await startWorker(apps));
    const rate = await measure(apps, level * jobsEach);
    rates.push(rate);
    const slope = rate / (rates[0] ?? NaN);
    console.log(`${level} workers: ${rate.toFixed(2)} jobs/s, ${slope.toFixed(2)} × one worker`);
  }
} finally {
  await database.end();
  await Promise.all(workers.slice(1).map((worker) => worker.stop()));
  await apps.stop();
  await site.close();
}

async function startWorker({ env }: Apps) {
  const port = await freePort();
  const worker = startApp({ name: 'worker', port, env: { ...env, WORKER_PORT: String(port) } });
  await worker.ready();
  return worker;
}

/** Resolves to the jobs per second from the first acceptance to the last end. */
async function measure(target: Apps, jobs: number): Promise<number> {
  const client = new Client(target);
  const body = JSON.stringify({ url: `${site.url}/slow?ms=${values.ms}` });
  const headers = { 'content-type': 'application/json' };
  const ids = await Promise.all(
    Array.from({ length: jobs }, async () => {
      const response = await client.send('POST', '/v1/jobs', { headers, body });
      if (response.status !== 202) throw new Error(`${response.status}: ${await response.text()}`);
      return ((await response.json()) as { id: string }).id;
    }),
  );
  await eventually('all jobs have ended', () => haveEnded(ids), DEADLINE_MS);
  const { rows } = await database.query<{ seconds: number; succeeded: number }>(
    `SELECT extract(epoch FROM max(finished_at) - min(created_at))::float8 AS seconds,
            count(*) FILTER (WHERE status = 'succeeded')::int AS succeeded
       FROM jobs WHERE id = ANY($1)`,
    [ids],
  );
  const [{ seconds, succeeded } = { seconds: NaN, succeeded: 0 }] = rows;
  if (succeeded !== jobs) throw new Error(`${jobs - succeeded} of ${jobs} jobs did not succeed`);
  return jobs / seconds;
}

async function haveEnded(ids: readonly string[]): Promise<boolean> {
  const { rows } = await database.query<{ left: number }>(
    `SELECT count(*)::int AS left FROM jobs WHERE id = ANY($1) AND status IN ('queued', 'running')`,
    [ids],
  );
  return rows[0]?.left === 0;
}
