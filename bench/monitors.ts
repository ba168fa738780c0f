/**
 * `npm run bench -- monitors`: what 10,000 monitors cost. It lets two schedulers run for a while, and ends the captures at once, as
 * workers would. It prints how late checks begin (lag), what the schedulers take of a core, here and in PostgreSQL, and how
 * many instants have more than one check.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { OutcomeService, MonitorChecksModule, SchedulerService } from '@app/monitors';
import { startJobs } from '../test/support/jobs.js';
import type { TestDatabase } from '../test/support/database.js';
import { percentile } from './round.js';

const { values } = parseArgs({
  options: {
    monitors: { type: 'string', default: '10000' },
    every: { type: 'string', default: '1800' },
    seconds: { type: 'string', default: '60' },
  },
});
const [count, everyS, seconds] = [Number(values.monitors), Number(values.every), Number(values.seconds)];
const never = new AbortController().signal;

const first = await startJobs({ imports: [MonitorChecksModule] });
const second = await startJobs({ imports: [MonitorChecksModule], database: first.database });
const { database } = first;

await addMonitors(database);
const schedulers = [first, second].map(({ app }) => app.get(SchedulerService, { strict: false }));
const outcomes = first.app.get(OutcomeService, { strict: false });

const before = { own: process.cpuUsage(), postgres: ticksOfPostgres() };
const start = performance.now();
const until = start + seconds * 1_000;
let endingMs = 0;
await Promise.all([
  ...schedulers.map((scheduler) => everySecond(() => scheduler.runDue(never))),
  everySecond(end),
]);
const passed = performance.now() - start;
const own = process.cpuUsage(before.own);
const ownMs = (own.user + own.system) / 1_000;
const postgresMs = (ticksOfPostgres() - before.postgres) * 10;

// The first instant of a monitor is not spread.
const { rows } = await database.query<{ lag: number }>(
  `SELECT extract(epoch FROM (created_at - due_at))::float8 AS lag FROM monitor_checks`,
);
const lags = rows.map(({ lag }) => lag);
const { rows: doubled } = await database.query(
  `SELECT 1 FROM monitor_checks GROUP BY monitor_id, page, due_at HAVING count(*) > 1`,
);
const share = (ms: number): string => `${((ms / passed) * 100).toFixed(2)} %`;
console.log(
  `${count} monitors every ${everyS} s, two schedulers, ${Math.round(passed / 1_000)} s: ${lags.length} checks`,
);
console.log(`lag p50 ${percentile(lags, 0.5).toFixed(2)} s, p99 ${percentile(lags, 0.99).toFixed(2)} s`);
console.log(
  `of a core: schedulers and outcomes ${share(ownMs)} (ending captures waited ${share(endingMs)}), PostgreSQL ${share(postgresMs)}`,
);
console.log(`instants with more than one check: ${doubled.length}`);

await second.app.close();
await first.close();

/** Monitors whose instants are spread evenly over their period. */
async function addMonitors(target: TestDatabase): Promise<void> {
  const accounts = await Promise.all(
    Array.from({ length: 20 }, () => target.addAccount({ allowance: 1_000_000, concurrency: 50 })),
  );
  await target.query(
    `INSERT INTO monitors (id, account_id, name, every_s, is_batch, host, alert, keep, next_due_at, next_run_at)
     SELECT gen_random_uuid(), ($2::uuid[])[1 + i % 20], 'monitor ' || i, $3, false, 'host' || i % 500 || '.example',
            '{"on":["changed"],"min_ratio":0,"confirm":2,"ignore_selectors":[]}', '{"unchanged":1,"changed":100}',
            at, at
       FROM (SELECT i, now() + i::float8 / $1 * $3 * interval '1 s' AS at FROM generate_series(1, $1::integer) AS i) AS new`,
    [count, accounts, everyS],
  );
  await target.query(
    `INSERT INTO monitor_pages (monitor_id, page, id, account_id, options)
     SELECT id, 1, gen_random_uuid(), account_id, json_build_object('url', 'https://' || host || '/' || name, 'full_page', true)
       FROM monitors`,
  );
  await target.query('ANALYZE');
}

async function everySecond(work: () => Promise<unknown>): Promise<void> {
  while (performance.now() < until) {
    await work();
    await sleep(1_000);
  }
}

/** Ends the captures that are open, and gives their checks outcomes. */
async function end(): Promise<void> {
  const since = performance.now();
  await database.query(
    `UPDATE jobs SET status = 'failed', finished_at = clock_timestamp(), error_code = 'internal' WHERE status = 'queued'`,
  );
  endingMs += performance.now() - since;
  await outcomes.endAll(never);
}

/** The time that all processes of PostgreSQL on this machine have taken, in hundredths of a second. */
function ticksOfPostgres(): number {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .reduce((sum, pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
        if (!stat.includes('(postgres)')) return sum;
        const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        return sum + Number(fields[11]) + Number(fields[12]);
      } catch {
        // The process has ended.
        return sum;
      }
    }, 0);
}
