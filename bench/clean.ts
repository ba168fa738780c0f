/**
 * `npm run bench -- clean [--rounds 16]`: what clean pages and readiness cost on pages that have no noise and are complete
 * once they have loaded. The service captures the pages of the bench with `clean`, with `wait_until: auto` and with neither.
 * They alternate after a few captures and take turns in being first, so that other load of the machine affects all.
 */
import { parseArgs } from 'node:util';
import { startApps } from '../test/support/apps.js';
import { runRoundOf, startContestant } from './contestant.js';
import { servePages } from './pages.js';
import { HEADER, measured, Tally } from './report.js';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '16' } } });
/** Captures of each page before it is the turn of other options. */
const TIMES = 2;

const PLAIN = { wait_until: 'load' };
const contestants = {
  plain: { options: PLAIN, tally: new Tally() },
  clean: { options: { ...PLAIN, clean: true }, tally: new Tally() },
  auto: { options: { wait_until: 'auto' }, tally: new Tally() },
};

await using pages = await servePages();
await using apps = await startApps({
  EGRESS_ALLOW: `127.0.0.1:${pages.port}`,
  WORKER_SLOTS: '1',
  BROWSER_MAX_CAPTURES: '100000',
});
const caller = await startContestant('./service.js', { BENCH_URL: apps.url, BENCH_KEY: apps.key });
const plan = { urls: pages.urls, captures: pages.urls.length * TIMES, concurrency: 1 };

const order = Object.values(contestants);
// The first round warms up: the first capture with a list also reads it.
for (const { options } of order) await runRoundOf(caller, { ...plan, options });
for (let round = 0; round < Number(values.rounds); round++) {
  for (const { options, tally } of order) {
    await measured(tally, apps.pids, () => runRoundOf(caller, { ...plan, options }));
  }
  order.push(...order.splice(0, 1));
}
caller.disconnect();

const { plain, clean, auto } = contestants;
console.log(`${plain.tally.durations.length} captures each\n${HEADER}`);
for (const [name, { tally }] of Object.entries(contestants)) console.log(tally.line(name));
console.log(`clean / plain: ${ratios(clean.tally)} (goal: at most 1.10)`);
console.log(`auto / plain: ${ratios(auto.tally)} (goal of p50: at most 1.05)`);

function ratios(tally: Tally): string {
  const p50 = tally.p(0.5) / plain.tally.p(0.5);
  const cpu = tally.cpuS / plain.tally.cpuS;
  return `p50 ${p50.toFixed(3)}, CPU ${cpu.toFixed(3)}`;
}
