/**
 * `npm run bench -- monitors [--monitors 10000] [--every 1800] [--seconds 60]`: what 10,000 monitors cost without their captures. Two
 * schedulers and what gives checks their outcomes run in processes of their own; the bench ends the captures at once, as workers
 * would. It prints how late checks begin (lag), how many instants have more than one check, and the CPU time of each part, its own and
 * that of its connection to PostgreSQL, less what a process takes that does none of it: first with nothing due, then with instants that
 * are spread evenly, at last with one instant of all monitors, as `0 * * * *` has. The same work takes two to four times the CPU time on
 * a machine that is otherwise idle: compare two versions at once.
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createDatabase, type TestDatabase } from '../../test/support/database.js';
import { startJobs } from '../../test/support/jobs.js';
import { startContestant } from '../contestant.js';
import { percentile } from '../round.js';
import type { PartName, PartResult } from './part.js';

const { values } = parseArgs({
  options: {
    monitors: { type: 'string', default: '10000' },
    every: { type: 'string', default: '1800' },
    seconds: { type: 'string', default: '60' },
  },
});
const [count, everyS, seconds] = [Number(values.monitors), Number(values.every), Number(values.seconds)];
/** The spread of an instant that many monitors share, and some time for what is late. */
const BURST_S = 45;
/** A process that has just started is slower than one that has run for a while. */
const WARM_UP_S = 20;

await using database = await createDatabase();
// It prepares the queue.
const prepared = await startJobs({ database });
await prepared.app.close();
await addMonitors(database);
const parts: readonly (readonly [PartName, ChildProcess])[] = await Promise.all(
  (['schedule', 'schedule', 'outcomes', 'idle'] as const).map(async (name) => {
    const env = { BENCH_PART: name, BENCH_DATABASE: database.url };
    return [name, await startContestant('monitors/part.js', env)] as const;
  }),
);

await beginAt(`now() + interval '1 day'`);
await phase('nothing is due', seconds / 2);
await beginAt(`now() + interval '1 s' * number / ${count} * ${everyS}`);
await phase('warm-up', WARM_UP_S);
await phase(`every ${everyS} s, spread evenly`, seconds);
// As the scheduler spreads an instant: over 30 s.
await beginAt(`now() + interval '30 s' * random()`, `'0 * * * *'`);
await phase(`all at one instant of an hour`, BURST_S, 3_600);

const { rows: doubled } = await database.query(
  `SELECT 1 FROM monitor_checks GROUP BY monitor_id, page, due_at HAVING count(*) > 1`,
);
console.log(`instants with more than one check: ${doubled.length}`);
for (const [, child] of parts) child.disconnect();

/** Runs all parts for a while, and prints what they took. */
async function phase(title: string, lengthS: number, periodS = lengthS): Promise<void> {
  const { rows: before } = await database.query<{ now: Date }>('SELECT clock_timestamp() AS now');
  const start = performance.now();
  const until = start + lengthS * 1_000;
  const [results] = await Promise.all([
    Promise.all(
      parts.map(async ([name, child]) => {
        child.send(lengthS * 1_000);
        const [result] = (await once(child, 'message')) as [PartResult];
        return { name, ...result };
      }),
    ),
    endCaptures(until),
  ]);
  const passedMs = Math.max(performance.now() - start, periodS * 1_000);
  const { rows } = await database.query<{ lag: number }>(
    `SELECT extract(epoch FROM (created_at - due_at))::float8 AS lag FROM monitor_checks WHERE created_at >= $1`,
    [before[0]?.now],
  );
  const lags = rows.map(({ lag }) => lag);
  console.log(`${title}: ${lags.length} checks in ${Math.round(passedMs / 1_000)} s`);
  if (lags.length > 0) {
    console.log(
      `  lag p50 ${percentile(lags, 0.5).toFixed(2)} s, p99 ${percentile(lags, 0.99).toFixed(2)} s`,
    );
  }
  const share = (ms: number): string => `${((ms / passedMs) * 100).toFixed(2)} %`;
  const [idle] = results.filter(({ name }) => name === 'idle');
  for (const name of ['schedule', 'outcomes'] as const) {
    const own = results.filter((result) => result.name === name);
    const sum = (of: 'ownMs' | 'postgresMs'): number =>
      own.reduce((all, result) => all + result[of] - (idle?.[of] ?? 0), 0);
    const all = sum('ownMs') + sum('postgresMs');
    const each = lags.length > 0 ? `, ${(all / lags.length).toFixed(2)} ms a check` : '';
    console.log(
      `  ${name}: ${share(all)} of a core (processes ${share(sum('ownMs'))}, PostgreSQL ${share(sum('postgresMs'))})${each}`,
    );
  }
  console.log(`  a process that does nothing: ${share((idle?.ownMs ?? 0) + (idle?.postgresMs ?? 0))}`);
}

async function addMonitors(target: TestDatabase): Promise<void> {
  const accounts = await Promise.all(
    Array.from({ length: 20 }, () => target.addAccount({ allowance: 1_000_000, concurrency: 50 })),
  );
  await target.query(
    `INSERT INTO monitors (id, account_id, name, every_s, is_batch, host, alert, keep)
     SELECT gen_random_uuid(), ($2::uuid[])[1 + i % 20], i, $3, false, 'host' || i % 500 || '.example',
            '{"on":["changed"],"min_ratio":0,"confirm":2,"ignore_selectors":[]}', '{"unchanged":1,"changed":100}'
       FROM generate_series(1, $1::integer) AS i`,
    [count, accounts, everyS],
  );
  await target.query(
    `INSERT INTO monitor_pages (monitor_id, page, id, account_id, options, baseline_id)
     SELECT id, 1, gen_random_uuid(), account_id, json_build_object('url', 'https://' || host || '/' || name, 'full_page', true),
            gen_random_uuid() FROM monitors`,
  );
  await target.query('ANALYZE');
}

/** Sets the next instants, as SQL over the number of a monitor. */
async function beginAt(at: string, cron = 'NULL'): Promise<void> {
  await database.query(
    `UPDATE monitors SET next_due_at = at, next_run_at = at, cron = ${cron}, timezone = CASE WHEN ${cron} IS NULL THEN NULL ELSE 'UTC' END,
            every_s = CASE WHEN ${cron} IS NULL THEN ${everyS} END
       FROM (SELECT id, date_trunc('milliseconds', ${at}) AS at FROM (SELECT id, name::integer AS number FROM monitors) AS numbered) AS new
      WHERE new.id = monitors.id`,
  );
}

/** Ends captures without a change, as workers do. */
async function endCaptures(until: number): Promise<void> {
  while (performance.now() < until) {
    await database.query(
      `UPDATE jobs SET status = 'succeeded', finished_at = clock_timestamp(), change = json_build_object(
          'compared_with', options ->> 'compare_with', 'failure', null, 'changed', false, 'ratio', 0, 'boxes', '[]'::json)
        WHERE status = 'queued'`,
    );
    await sleep(500);
  }
}
