/**
 * `npm run bench`: the service beside raw Puppeteer, in one run.
 *
 * Both capture the same pages of ours from loopback, in rounds that take turns, so that what else the machine does
 * falls on both. Printed are captures/s, p50 and p95 as the caller sees them, CPU seconds and peak memory of all
 * processes on that side, and the ratios.
 */
import { parseArgs } from 'node:util';
import { startApps } from '../test/support/apps.js';
import { runRoundOf, startContestant } from './contestant.js';
import { servePages } from './pages.js';
import { peakBytes, readTree } from './process-tree.js';
import { HEADER, Tally } from './report.js';
import { percentile, type Round, type RoundResult } from './round.js';
import type { ServiceRoundResult } from './service.js';

const { values } = parseArgs({
  options: {
    captures: { type: 'string', default: '24' },
    rounds: { type: 'string', default: '4' },
    concurrency: { type: 'string', default: '1,2,4' },
  },
});
const captures = Number(values.captures);
const rounds = Number(values.rounds);
const levels = values.concurrency.split(',').map(Number);

await using pages = await servePages();
await using apps = await startApps({
  EGRESS_ALLOW: `127.0.0.1:${pages.port}`,
  WORKER_SLOTS: String(Math.max(...levels)),
  BROWSER_MAX_CAPTURES: '100000',
});
const raw = await startContestant('./raw.js');
const service = await startContestant('./service.js', { BENCH_URL: apps.url, BENCH_KEY: apps.key });

const overheads: number[] = [];
const queues: number[] = [];

for (const concurrency of levels) {
  const tallies = { raw: new Tally(), service: new Tally() };
  const round: Round = { urls: pages.urls, captures, concurrency };
  await runRoundOf(raw, round);
  await runRoundOf(service, round);
  for (let i = 0; i < rounds; i++) {
    await measured(tallies.raw, [raw.pid ?? 0], () => runRoundOf(raw, round));
    const result = await measured(tallies.service, apps.pids, () =>
      runRoundOf<ServiceRoundResult>(service, round),
    );
    if (concurrency === 1) overheads.push(...result.overheads);
    if (concurrency === 1) queues.push(...result.queues);
  }
  print(concurrency, tallies);
}
console.log(
  `\nservice, concurrency 1: queue p50 ${percentile(queues, 0.5).toFixed(1)} ms; ` +
    `all that is not the browser (HTTP, queue, database, store) p50 ${percentile(overheads, 0.5).toFixed(1)} ms`,
);
for (const child of [raw, service]) child.disconnect();

async function measured<T extends RoundResult>(
  tally: Tally,
  pids: readonly number[],
  work: () => Promise<T>,
): Promise<T> {
  const before = readTree(pids).cpuS;
  const [result, peak] = await peakBytes(pids, work);
  tally.add(result, { cpuS: readTree(pids).cpuS - before, peakBytes: peak });
  return result;
}

function print(concurrency: number, { raw: a, service: b }: { raw: Tally; service: Tally }): void {
  console.log(`\nconcurrency ${concurrency}, ${a.durations.length} captures each`);
  console.log([HEADER, a.line('raw Puppeteer'), b.line('service')].join('\n'));
  const ratio = (x: number, y: number): string => (x / y).toFixed(3);
  console.log(
    `service / raw: throughput ${ratio(b.perSecond, a.perSecond)}, p50 ${ratio(b.p(0.5), a.p(0.5))}, ` +
      `p95 ${ratio(b.p(0.95), a.p(0.95))}, CPU ${ratio(b.cpuS, a.cpuS)}`,
  );
}
