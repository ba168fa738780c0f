/**
 * `npm run bench -- waiting [--against <folder>]`: the service with `WORKER_SLOTS=auto` beside raw Puppeteer with as many
 * contexts in one browser as there are callers, on pages that answer after a while.
 *
 * Both take part in alternating rounds, so that other load of the machine affects both. It prints captures per second, p50,
 * the ratios, the phases of the service, what a further slot costs in memory, and the CPU time of an idle worker. With
 * `--against` the service as it was built in another checkout captures pages that compute, beside this one.
 */
import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startApps, type Apps } from '../test/support/apps.js';
import { startFixtureSite } from '../test/support/fixture-site.js';
import { runRoundOf, startContestant } from './contestant.js';
import { servePages } from './pages.js';
import { readOwnBytes, readTree } from './process-tree.js';
import { HEADER, measured, Tally } from './report.js';
import { percentile, type Round } from './round.js';
import type { ServiceRoundResult } from './service.js';

const { values } = parseArgs({
  options: {
    /** Time in ms after which a page answers. */
    ms: { type: 'string', default: '1500' },
    /** Callers at once. */
    levels: { type: 'string', default: '2,8,16' },
    rounds: { type: 'string', default: '3' },
    slots: { type: 'string', default: 'auto' },
    /** Slots of the other checkout; it takes the computing pages only. */
    'against-slots': { type: 'string', default: '4' },
    against: { type: 'string' },
    idle: { type: 'string', default: '30' },
  },
});
const levels = values.levels.split(',').filter(Boolean).map(Number);
const rounds = Number(values.rounds);
/** Captures of each caller in a round. */
const EACH = 3;
/** After this time an idle worker has ended what it keeps for a while. */
const SETTLE_MS = 45_000;

const site = await startFixtureSite();
await using pages = await servePages();
const settings = { EGRESS_ALLOW: `127.0.0.1:${site.port},127.0.0.1:${pages.port}` };
await using apps = await startApps({ ...settings, WORKER_SLOTS: values.slots });
const other =
  values.against === undefined
    ? undefined
    : await startApps({ ...settings, WORKER_SLOTS: values['against-slots'] }, values.against);
// The limit of one account is not what the bench measures.
for (const each of [apps, other]) await each?.database.query('UPDATE accounts SET concurrency = 1000');
const callerOf = ({ url, key }: Apps): Promise<ChildProcess> =>
  startContestant('./service.js', { BENCH_URL: url, BENCH_KEY: key });
const raw = await startContestant('./raw.js');
const service = await callerOf(apps);
const otherService = other && (await callerOf(other));

try {
  const memory = new Map<number, number>();
  for (const level of levels) memory.set(level, await compareWaiting(level));
  printMemory(memory);
  if (other && otherService)
    for (const level of [1, 2, 4]) await compareComputing(level, other, otherService);
  await printIdle();
} finally {
  for (const child of [raw, service, otherService]) child?.disconnect();
  await other?.stop();
  await site.close();
}

/** Resolves to the memory of the worker with its browsers while all of them capture. */
async function compareWaiting(concurrency: number): Promise<number> {
  const urls = [`${site.url}/slow?ms=${values.ms}`];
  const round: Round = { urls, captures: concurrency * EACH, concurrency };
  const tallies = { raw: new Tally(), service: new Tally(), worker: new Tally() };
  const phases: Record<string, number[]> = {};
  await runRoundOf(raw, { ...round, captures: concurrency });
  await runRoundOf(service, { ...round, captures: concurrency });
  for (let i = 0; i < rounds; i += 1) {
    await measured(tallies.raw, [raw.pid ?? 0], () => runRoundOf(raw, round));
    const captured = await measured(tallies.worker, [apps.worker.pid], () =>
      measured(tallies.service, apps.pids, () => runRoundOf<ServiceRoundResult>(service, round)),
    );
    for (const [phase, ms] of Object.entries(captured.phases)) (phases[phase] ??= []).push(...ms);
  }
  console.log(`\nwaiting pages, ${concurrency} callers, ${tallies.raw.durations.length} captures each`);
  console.log([HEADER, tallies.raw.line('raw Puppeteer'), tallies.service.line('service')].join('\n'));
  console.log(`service / raw: ${ratios(tallies.service, tallies.raw)}; the target is 0.900`);
  console.log(`p50 of the phases in ms: ${phasesLine(phases)}`);
  console.log(
    `CPU s each of the worker with its browsers: ${(tallies.worker.cpuS / tallies.worker.durations.length).toFixed(3)}`,
  );
  return readBusyMemory(round);
}

/** Reads the memory in the middle of a round that is not timed, when every slot has a page that waits. */
async function readBusyMemory(round: Round): Promise<number> {
  const captured = runRoundOf(service, { ...round, captures: round.concurrency });
  await sleep(Number(values.ms) * 0.7);
  const bytes = readOwnBytes([apps.worker.pid]);
  await captured;
  return bytes;
}

async function compareComputing(concurrency: number, { pids }: Apps, caller: ChildProcess): Promise<void> {
  const round: Round = { urls: pages.urls, captures: 8 * concurrency + 16, concurrency };
  const tallies = { service: new Tally(), other: new Tally() };
  for (const child of [service, caller]) await runRoundOf(child, round);
  for (let i = 0; i < rounds; i += 1) {
    await measured(tallies.service, apps.pids, () => runRoundOf(service, round));
    await measured(tallies.other, pids, () => runRoundOf(caller, round));
  }
  console.log(`\ncomputing pages, ${concurrency} callers, ${tallies.service.durations.length} captures each`);
  console.log([HEADER, tallies.service.line('service'), tallies.other.line('other checkout')].join('\n'));
  console.log(`service / other checkout: ${ratios(tallies.service, tallies.other)}; the target is 0.970`);
}

function printMemory(memory: ReadonlyMap<number, number>): void {
  const sorted = [...memory].sort(([one], [two]) => one - two);
  for (const [i, [level, bytes]] of sorted.entries()) {
    const before = sorted[i - 1];
    if (!before) continue;
    const each = (bytes - before[1]) / (level - before[0]) / 1e6;
    console.log(
      `memory of each further slot, ${before[0]} to ${level}: ${each.toFixed(0)} MB; the target is 60`,
    );
  }
}

async function printIdle(): Promise<void> {
  await sleep(SETTLE_MS);
  const seconds = Number(values.idle);
  const before = readTree([apps.worker.pid]);
  await sleep(seconds * 1_000);
  const after = readTree([apps.worker.pid]);
  const share = ((after.cpuS - before.cpuS) / seconds) * 100;
  const mb = (after.bytes / 1e6).toFixed(0);
  console.log(
    `\nidle worker with its browsers: ${share.toFixed(2)} % of a core, ${mb} MB; the target is 1.00 %`,
  );
}

function phasesLine(phases: Readonly<Record<string, readonly number[]>>): string {
  return Object.entries(phases)
    .map(([phase, ms]) => `${phase} ${percentile(ms, 0.5).toFixed(0)}`)
    .join(', ');
}

function ratios(one: Tally, two: Tally): string {
  return `throughput ${(one.perSecond / two.perSecond).toFixed(3)}, p50 ${(one.p(0.5) / two.p(0.5)).toFixed(3)}`;
}
