/**
 * A part of the upkeep of monitors in a process of its own, whose CPU time is measured by itself: `schedule` makes captures of what is due
 * every second, `outcomes` ends checks every two seconds, as workers do; `idle` does neither. One connection serves it, whose server
 * process is its share of PostgreSQL.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { MonitorChecksModule, OutcomeService, SchedulerService } from '@app/monitors';
import { TestDatabase } from '../../test/support/database.js';
import { startJobs } from '../../test/support/jobs.js';

export type PartName = 'schedule' | 'outcomes' | 'idle';

/** What a phase took, in ms of CPU time. */
export interface PartResult {
  readonly ownMs: number;
  readonly postgresMs: number;
  /** What was due or ended. */
  readonly count: number;
}

const { BENCH_PART: part = '', BENCH_DATABASE: url = '' } = process.env;
const never = new AbortController().signal;
const { app } = await startJobs({
  imports: [MonitorChecksModule],
  database: new TestDatabase(url, new URL(url)),
});
const source = app.get(DataSource, { strict: false });
const RUNS: Readonly<Record<string, () => Promise<number>>> = {
  schedule: () => app.get(SchedulerService, { strict: false }).tick(never),
  outcomes: () => app.get(OutcomeService, { strict: false }).endAll(never),
};
const run = RUNS[part] ?? (() => Promise.resolve(0));
const periodMs = part === 'outcomes' ? 2_000 : 1_000;

process.on('message', (ms: number) => {
  void measure(ms).then((result) => process.send?.(result));
});
// The connections of the modules would keep the process alive.
process.on('disconnect', () => process.exit());
process.send?.('ready');

async function measure(ms: number): Promise<PartResult> {
  const until = performance.now() + ms;
  const backend = await backendPid();
  const before = { own: process.cpuUsage(), postgres: cpuOf(backend) };
  let count = 0;
  while (performance.now() < until) {
    count += await run();
    await sleep(periodMs);
  }
  const own = process.cpuUsage(before.own);
  const isSame = (await backendPid()) === backend;
  return {
    ownMs: (own.user + own.system) / 1_000,
    // A pool that had to wait for long has replaced its connection.
    postgresMs: isSame ? cpuOf(backend) - before.postgres : NaN,
    count,
  };
}

async function backendPid(): Promise<number> {
  const [row] = await source.query<{ pid: number }[]>('SELECT pg_backend_pid() AS pid');
  return row?.pid ?? 0;
}

/** The CPU time of a process so far, in ms. */
function cpuOf(pid: number): number {
  const [onCpu] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ');
  return Number(onCpu) / 1_000_000;
}
