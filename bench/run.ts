/**
 * `npm run bench`: the service compared with raw Puppeteer, in one run.
 *
 * Both capture the same pages from loopback, in alternating rounds, so that other load of the machine affects both. It
 * prints captures per second, p50 and p95 as the caller sees them, the CPU time and peak memory of all processes on each
 * side, and the ratios. With `--against <folder>` the service as it was built in another checkout takes part, too.
 */
import { parseArgs } from 'node:util';
import type { ChildProcess } from 'node:child_process';
import { startApps, type Apps } from '../test/support/apps.js';
import { runRoundOf, startContestant } from './contestant.js';
import { servePages } from './pages.js';
import { HEADER, measured, Tally } from './report.js';
import { percentile, type Round } from './round.js';
import type { ServiceRoundResult } from './service.js';

const { values } = parseArgs({
  options: {
    captures: { type: 'string', default: '24' },
    rounds: { type: 'string', default: '4' },
    concurrency: { type: 'string', default: '1,2,4' },
    against: { type: 'string' },
  },
});
const captures = Number(values.captures);
const rounds = Number(values.rounds);
const levels = values.concurrency.split(',').map(Number);

await using pages = await servePages();
const settings = {
  EGRESS_ALLOW: `127.0.0.1:${pages.port}`,
  WORKER_SLOTS: String(Math.max(...levels)),
  BROWSER_MAX_CAPTURES: '100000',
};
await using apps = await startApps(settings);
await using otherApps = values.against === undefined ? undefined : await startApps(settings, values.against);
const raw = await startContestant('./raw.js');
const callerOf = ({ url, key }: Apps): Promise<ChildProcess> =>
  startContestant('./service.js', { BENCH_URL: url, BENCH_KEY: key });
const service = await callerOf(apps);
const other = otherApps && { apps: otherApps, caller: await callerOf(otherApps) };

const overheads: number[] = [];
const queues: number[] = [];

for (const concurrency of levels) {
  const tallies = { raw: new Tally(), service: new Tally(), other: new Tally() };
  const round: Round = { urls: pages.urls, captures, concurrency };
  await runRoundOf(raw, round);
  await runRoundOf(service, round);
  if (other) await runRoundOf(other.caller, round);
  for (let i = 0; i < rounds; i++) {
    await measured(tallies.raw, [raw.pid ?? 0], () => runRoundOf(raw, round));
    const result = await measured(tallies.service, apps.pids, () =>
      runRoundOf<ServiceRoundResult>(service, round),
    );
    if (other) await measured(tallies.other, other.apps.pids, () => runRoundOf(other.caller, round));
    if (concurrency === 1) overheads.push(...result.overheads);
    if (concurrency === 1) queues.push(...result.queues);
  }
  print(concurrency, tallies);
}
console.log(
  `\nservice, concurrency 1: queue p50 ${percentile(queues, 0.5).toFixed(1)} ms; ` +
    `everything except the browser (HTTP, queue, database, store) p50 ${percentile(overheads, 0.5).toFixed(1)} ms`,
);
for (const child of [raw, service, other?.caller]) child?.disconnect();

interface Tallies {
  readonly raw: Tally;
  readonly service: Tally;
  readonly other: Tally;
}

function print(concurrency: number, { raw: a, service: b, other: c }: Tallies): void {
  console.log(`\nconcurrency ${concurrency}, ${a.durations.length} captures each`);
  const lines = [a.line('raw Puppeteer'), b.line('service'), ...(other ? [c.line('other checkout')] : [])];
  console.log([HEADER, ...lines].join('\n'));
  console.log(`service / raw: ${ratios(b, a)}`);
  if (other) console.log(`service / other checkout: ${ratios(b, c)}`);
}

function ratios(one: Tally, two: Tally): string {
  const ratio = (x: number, y: number): string => (x / y).toFixed(3);
  return (
    `throughput ${ratio(one.perSecond, two.perSecond)}, p50 ${ratio(one.p(0.5), two.p(0.5))}, ` +
    `p95 ${ratio(one.p(0.95), two.p(0.95))}, CPU ${ratio(one.cpuS, two.cpuS)}`
  );
}
