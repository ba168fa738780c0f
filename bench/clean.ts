/**
 * `npm run bench -- clean [--rounds 24]`: what clean pages and readiness cost on pages that have no noise and are complete
 * once they have loaded. The service captures the pages of the bench with `clean`, with `wait_until: auto` and with neither.
 * They alternate at every capture and take turns in being first, so that other load of the machine affects all.
 *
 * Then it measures the memory of a worker with the lists that come with the service and of one with a list of a single rule.
 */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { startApps } from '../test/support/apps.js';
import { eventually } from '../test/support/eventually.js';
import { runRoundOf, startContestant } from './contestant.js';
import { servePages } from './pages.js';
import { percentile } from './round.js';
import { HEADER, measured, Tally } from './report.js';
import { INSPECTED, residentBytes } from './soak/heap.js';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '24' } } });
const CONTESTANTS = {
  plain: { wait_until: 'load' },
  clean: { wait_until: 'load', clean: true },
  auto: { wait_until: 'auto' },
} as const;
type Name = keyof typeof CONTESTANTS;
const NAMES = Object.keys(CONTESTANTS) as Name[];

await using pages = await servePages();
const settings = { WORKER_SLOTS: '1', BROWSER_MAX_CAPTURES: '100000' };

await compareTimes();
await compareMemory();

async function compareTimes(): Promise<void> {
  await using apps = await startApps({ ...settings, EGRESS_ALLOW: `127.0.0.1:${pages.port}` });
  const caller = await startContestant('./service.js', { BENCH_URL: apps.url, BENCH_KEY: apps.key });
  const tallies = { plain: new Tally(), clean: new Tally(), auto: new Tally() };
  const order = [...NAMES];
  // The first round warms up.
  for (let round = 0; round <= Number(values.rounds); round++) {
    for (const url of pages.urls) {
      for (const name of order) {
        const plan = { urls: [url], captures: 1, concurrency: 1, options: CONTESTANTS[name] };
        const tally = round === 0 ? new Tally() : tallies[name];
        await measured(tally, apps.pids, () => runRoundOf(caller, plan));
      }
      order.push(...order.splice(0, 1));
    }
  }
  caller.disconnect();
  console.log(`${tallies.plain.durations.length} captures each\n${HEADER}`);
  for (const name of NAMES) console.log(tallies[name].line(name));
  console.log(`clean / plain: ${ratios(tallies.clean, tallies.plain)} (goal: at most 1.10)`);
  console.log(`auto / plain: ${ratios(tallies.auto, tallies.plain)} (goal of the time: at most 1.05)`);
}

/** The pages differ, and other load comes and goes: the time of a capture is compared with that of its neighbour. */
function ratios(one: Tally, two: Tally): string {
  const pairs = one.durations.map((duration, i) => duration / (two.durations[i] ?? NaN));
  const p50 = one.p(0.5) / two.p(0.5);
  return `time ${percentile(pairs, 0.5).toFixed(3)} (p50 ${p50.toFixed(3)}), CPU ${(one.cpuS / two.cpuS).toFixed(3)}`;
}

async function compareMemory(): Promise<void> {
  const list = createServer((_, response) => void response.end('||nothing.example^\n')).listen(
    0,
    '127.0.0.1',
  );
  await once(list, 'listening');
  const { port } = list.address() as AddressInfo;
  const withLists = await workerBytes(port, false);
  const without = await workerBytes(port, true);
  list.close();
  const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;
  console.log(
    `memory of a worker: ${megabytes(withLists)}, with a list of one rule ${megabytes(without)}: ` +
      `the lists add ${megabytes(withLists - without)} (goal: at most 60 MB)`,
  );
}

/** The resident memory of a worker after clean captures. */
async function workerBytes(listPort: number, isListReplaced: boolean): Promise<number> {
  await using apps = await startApps({
    ...settings,
    EGRESS_ALLOW: `127.0.0.1:${pages.port},127.0.0.1:${listPort}`,
    ...(isListReplaced && { FILTER_LISTS_URL: `http://127.0.0.1:${listPort}/list.txt` }),
  });
  // A worker replaces the lists after its start. The next one starts with what that one has kept.
  const kept = path.join(apps.env.DATA_DIR ?? '', 'filter-lists/compiled.bin');
  if (isListReplaced) await eventually('the list is in use', () => Promise.resolve(existsSync(kept)));
  await apps.worker.stop();
  const worker = await apps.launch('worker', INSPECTED);
  try {
    await worker.ready();
    const caller = await startContestant('./service.js', { BENCH_URL: apps.url, BENCH_KEY: apps.key });
    await runRoundOf(caller, { urls: pages.urls, captures: 12, concurrency: 1, options: CONTESTANTS.clean });
    caller.disconnect();
    return await residentBytes(worker.log());
  } finally {
    await worker.stop();
  }
}
