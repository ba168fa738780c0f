/**
 * `npm run bench -- scale [--slots 3 --jobs 24 --ms 2000 --queue both]`: jobs per second with 1, 2 and 4 worker processes, on pages
 * that wait and compute nothing: they show the cost of what is shared (database, queue, dispatcher), not of rendering.
 */
import { parseArgs } from 'node:util';
import type { AppProcess } from '../test/support/app-process.js';
import { startApps, type Apps } from '../test/support/apps.js';
import { createRedis, testRedisUrl } from '../test/support/backends.js';
import { Client } from '../test/support/client.js';
import { eventually } from '../test/support/eventually.js';
import { startFixtureSite } from '../test/support/fixture-site.js';

const QUEUES = ['postgres', 'redis'];
const LEVELS = [1, 2, 4];
const DEADLINE_MS = 600_000;

const { values } = parseArgs({
  options: {
    /** Slots of each worker; one is reserved for synchronous captures. */
    slots: { type: 'string', default: '3' },
    /** Jobs for each worker in one measurement. */
    jobs: { type: 'string', default: '24' },
    /** postgres, redis or both. */
    queue: { type: 'string', default: 'both' },
    /** Time in ms that a page waits. */
    ms: { type: 'string', default: '2000' },
  },
});
const jobsEach = Number(values.jobs);
if (!['both', ...QUEUES].includes(values.queue)) throw new Error('--queue is postgres, redis or both');
const site = await startFixtureSite();
try {
  for (const queue of values.queue === 'both' ? QUEUES : [values.queue]) await compareLevels(queue);
} finally {
  await site.close();
}

async function compareLevels(queue: string): Promise<void> {
  await using apps = await startApps({
    EGRESS_ALLOW: `127.0.0.1:${site.port}`,
    WORKER_SLOTS: values.slots,
    HOST_CONCURRENCY: '1000',
    ...(queue === 'redis' && { REDIS_URL: await emptyRedis() }),
  });
  const workers: AppProcess[] = [];
  try {
    // The limit of one account is not what the bench measures.
    await apps.database.query('UPDATE accounts SET concurrency = 1000');
    await measure(apps, 2);
    const rates: number[] = [];
    for (const level of LEVELS) {
      while (workers.length < level - 1) workers.push(await startWorker(apps));
      const { perSecond, phases } = await measure(apps, level * jobsEach);
      rates.push(perSecond);
      const slope = perSecond / (rates[0] ?? NaN);
      console.log(
        `${queue}, ${level} workers: ${perSecond.toFixed(2)} jobs/s, ${slope.toFixed(2)} × one worker; mean ms: ${phases}`,
      );
    }
  } finally {
    await Promise.all(workers.map((worker) => worker.stop()));
  }
}

function emptyRedis(): Promise<string> {
  if (testRedisUrl === undefined) throw new Error('There is no Redis on this machine');
  return createRedis(testRedisUrl);
}

async function startWorker(apps: Apps): Promise<AppProcess> {
  const worker = await apps.launch('worker');
  await worker.ready();
  return worker;
}

interface Measured {
  /** From the first acceptance to the last end. */
  readonly perSecond: number;
  /** Mean time in ms of each phase, which shows where a lower rate comes from. */
  readonly phases: string;
}

async function measure(target: Apps, jobs: number): Promise<Measured> {
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
  await eventually('all jobs have ended', () => haveEnded(target, ids), DEADLINE_MS);
  const { rows } = await target.database.query<{ seconds: number; succeeded: number; phases: string }>(
    `SELECT extract(epoch FROM max(finished_at) - min(created_at))::float8 AS seconds,
            count(*) FILTER (WHERE status = 'succeeded')::int AS succeeded,
            (SELECT string_agg(name || ' ' || ms, ', ' ORDER BY name) FROM (
               SELECT replace(key, '_ms', '') AS name, round(avg(value::numeric)) AS ms
                 FROM jobs, json_each_text(timings) WHERE id = ANY($1) GROUP BY key) AS mean) AS phases
       FROM jobs WHERE id = ANY($1)`,
    [ids],
  );
  const [{ seconds, succeeded, phases } = { seconds: NaN, succeeded: 0, phases: '' }] = rows;
  if (succeeded !== jobs) throw new Error(`${jobs - succeeded} of ${jobs} jobs did not succeed`);
  return { perSecond: jobs / seconds, phases };
}

async function haveEnded({ database }: Apps, ids: readonly string[]): Promise<boolean> {
  const { rows } = await database.query<{ left: number }>(
    `SELECT count(*)::int AS left FROM jobs WHERE id = ANY($1) AND status IN ('queued', 'running')`,
    [ids],
  );
  return rows[0]?.left === 0;
}
