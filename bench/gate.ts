/**
 * `npm run bench -- --gate`: what a change to capture, browser, jobs or worker has to show. Raw Puppeteer, the service and the
 * service at the commit of bench/baseline capture the same pages in turns, with the default options and as many slots as the
 * worker chooses, until the interval of each ratio is narrower than 3 %, or until `--rounds`.
 *
 * It prints the ratios and the CPU time of each process, adds a line for each number of callers to bench/history.csv, and
 * exits with 1 when the service is slower than the goals allow.
 */
import { execFile } from 'node:child_process';
import { appendFile } from 'node:fs/promises';
import { parseArgs, promisify } from 'node:util';
import { startApps, type Apps } from '../test/support/apps.js';
import { baselineCommit, buildCheckout } from './baseline-checkout.js';
import { estimate, widthOf, type Estimate } from './confidence.js';
import { runRoundOf, startContestant } from './contestant.js';
import { servePages } from './pages.js';
import { readBrowsers, readCpuByRole, ROLES, type ProcessRole } from './process-tree.js';
import { percentile, type Round } from './round.js';

const { values } = parseArgs({
  options: {
    captures: { type: 'string', default: '24' },
    rounds: { type: 'string', default: '40' },
    concurrency: { type: 'string', default: '1,2,4' },
    warm: { type: 'string', default: '240' },
  },
});
const captures = Number(values.captures);
const maxRounds = Number(values.rounds);
const levels = values.concurrency.split(',').map(Number);

const MIN_ROUNDS = 6;
const WIDTH = 0.03;
/** A browser that ends loses what its processes have used, so that a round in which one did is repeated. */
const MAX_TRIES = 5;

/** The service compared with raw Puppeteer: a higher ratio is better for throughput, a lower one for the others. */
const GOALS = { throughput: 0.97, p50: 1.03, cpu: 1.1 } as const;
/** The service compared with its baseline: what is lost in a few steps within the noise is lost. */
const BASELINE_GOALS = { throughput: 0.97, p50: 1.03, cpu: 1.03 } as const;

type Measure = keyof typeof GOALS;
const MEASURES: readonly Measure[] = ['throughput', 'p50', 'cpu'];

/** One contestant: the processes that work for it, by the name under which their CPU time is printed. */
interface Contestant {
  readonly name: string;
  readonly capture: (round: Round) => Promise<{ durations: readonly number[]; elapsed: number }>;
  readonly processes: Readonly<Record<string, number>>;
}

/** What a round of a contestant took, for each capture. */
interface Cost {
  readonly throughput: number;
  readonly p50: number;
  readonly cpu: number;
  /** CPU time in ms by process. */
  readonly byProcess: Readonly<Record<string, number>>;
}

await using pages = await servePages();
const settings = { EGRESS_ALLOW: `127.0.0.1:${pages.port}`, BROWSER_MAX_CAPTURES: '100000' };
const measured = await checkedOut();
const commit = await baselineCommit();
const checkout = await buildCheckout(commit);
await using apps = await startApps(settings);
await using baseApps = await startApps(settings, checkout);
const raw = await startContestant('./raw.js');
const callers = await Promise.all([apps, baseApps].map(callerOf));
const [service, baseline] = [
  { name: 'service', ...sideOf(apps, callers[0]) },
  { name: `baseline ${commit}`, ...sideOf(baseApps, callers[1]) },
];
const contestants: readonly Contestant[] = [
  { name: 'raw Puppeteer', capture: (round) => runRoundOf(raw, round), processes: { raw: raw.pid ?? 0 } },
  service,
  baseline,
];

const warm = { urls: pages.urls, captures: Number(values.warm), concurrency: Math.max(...levels) };
for (const contestant of contestants) await contestant.capture(warm);

let isUnderGoal = false;
for (const concurrency of levels) {
  const costs = await measureLevel(concurrency);
  const [ofRaw = [], ofService = [], ofBaseline = []] = costs;
  console.log(`\n${concurrency} callers, ${ofRaw.length} rounds of ${captures} captures each`);
  contestants.forEach(({ name }, i) => print(name, costs[i] ?? []));
  const ratios = compare(ofService, ofRaw);
  const baseRatios = compare(ofService, ofBaseline);
  const verdicts = [judge('raw', ratios, GOALS), judge('baseline', baseRatios, BASELINE_GOALS)];
  isUnderGoal ||= verdicts.includes(false);
  await record(concurrency, { ratios, baseRatios, ofService, ofRaw });
}
for (const child of [raw, ...callers]) child.disconnect();
process.exitCode = isUnderGoal ? 1 : 0;

type Caller = Awaited<ReturnType<typeof startContestant>>;

function callerOf({ url, key }: Apps): Promise<Caller> {
  return startContestant('./service.js', { BENCH_URL: url, BENCH_KEY: key });
}

function sideOf({ api, worker }: Apps, caller: Caller | undefined): Omit<Contestant, 'name'> {
  if (!caller) throw new Error('No process calls the service.');
  return {
    capture: (round) => runRoundOf(caller, round),
    processes: { api: api.pid, worker: worker.pid },
  };
}

/** The costs of each contestant, round by round. Each round begins with another contestant. */
async function measureLevel(concurrency: number): Promise<Cost[][]> {
  const round = { urls: pages.urls, captures, concurrency };
  const costs: Cost[][] = contestants.map(() => []);
  for (const contestant of contestants) await contestant.capture(round);
  for (let rounds = 0; rounds < maxRounds && !isKnown(costs); rounds += 1) {
    for (let i = 0; i < contestants.length; i += 1) {
      const at = (i + rounds) % contestants.length;
      const contestant = contestants[at];
      if (contestant) costs[at]?.push(await costOf(contestant, round));
    }
  }
  return costs;
}

async function costOf(contestant: Contestant, round: Round): Promise<Cost> {
  const roots = Object.values(contestant.processes);
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const browsers = readBrowsers(roots);
    const cost = await costOfOnce(contestant, round);
    const now = new Set(readBrowsers(roots));
    if (browsers.every((pid) => now.has(pid))) return cost;
  }
  throw new Error(`A browser of ${contestant.name} ended in each of ${MAX_TRIES} rounds.`);
}

async function costOfOnce({ capture, processes }: Contestant, round: Round): Promise<Cost> {
  const before = readCpu(processes);
  const { durations, elapsed } = await capture(round);
  const after = readCpu(processes);
  const spent = Object.entries(after).map(
    ([name, s]) => [name, ((s - (before[name] ?? 0)) * 1_000) / captures] as const,
  );
  return {
    throughput: captures / (elapsed / 1_000),
    p50: percentile(durations, 0.5),
    cpu: spent.reduce((sum, [, ms]) => sum + ms, 0),
    byProcess: Object.fromEntries(spent),
  };
}

/** The CPU time in s, by what the processes do; Node programs have the name of their contestant's process. */
function readCpu(processes: Contestant['processes']): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const [name, pid] of Object.entries(processes)) {
    const byRole = readCpuByRole([pid]);
    const nameOf = (role: ProcessRole): string => (role === 'node' ? name : role);
    for (const role of ROLES) sums[nameOf(role)] = (sums[nameOf(role)] ?? 0) + byRole[role];
  }
  return sums;
}

type Ratios = Readonly<Record<Measure, Estimate>>;

function compare(ours: readonly Cost[], theirs: readonly Cost[]): Ratios {
  const ratioOf = (measure: Measure): Estimate =>
    estimate(ours.map((cost, i) => cost[measure] / (theirs[i]?.[measure] ?? NaN)));
  return { throughput: ratioOf('throughput'), p50: ratioOf('p50'), cpu: ratioOf('cpu') };
}

/** Whether the ratios of throughput and CPU are known well enough. */
function isKnown([ofRaw = [], ofService = [], ofBaseline = []]: readonly Cost[][]): boolean {
  if (ofRaw.length < MIN_ROUNDS) return false;
  return [compare(ofService, ofRaw), compare(ofService, ofBaseline)].every(
    ({ throughput, cpu }) => widthOf(throughput) < WIDTH && widthOf(cpu) < WIDTH,
  );
}

function print(name: string, costs: readonly Cost[]): void {
  const mean = (valueOf: (cost: Cost) => number): string =>
    (costs.reduce((sum, cost) => sum + valueOf(cost), 0) / costs.length).toFixed(1);
  const names = Object.keys(costs[0]?.byProcess ?? {});
  const parts = names.map((process) => `${process} ${mean(({ byProcess }) => byProcess[process] ?? 0)}`);
  console.log(
    `${name.padEnd(18)} ${mean(({ throughput }) => throughput * 10).replace(/\.\d$/, '')} captures in 10 s, ` +
      `p50 ${mean(({ p50 }) => p50)} ms, CPU ${mean(({ cpu }) => cpu)} ms: ${parts.join(', ')}`,
  );
}

function judge(name: string, ratios: Ratios, goals: Readonly<Record<Measure, number>>): boolean {
  const fails = MEASURES.filter((measure) =>
    measure === 'throughput' ? ratios[measure].mean < goals[measure] : ratios[measure].mean > goals[measure],
  );
  const shown = MEASURES.map((measure) => {
    const { mean, low, high } = ratios[measure];
    const goal = `${measure === 'throughput' ? '≥' : '≤'} ${goals[measure]}`;
    const fault = fails.includes(measure) ? ', UNDER THE GOAL' : '';
    return `${measure} ${mean.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)}; goal ${goal}${fault})`;
  });
  console.log(`service / ${name}: ${shown.join(', ')}`);
  return fails.length === 0;
}

/** The commit that is checked out; it ends in `-dirty` when files differ from it. */
async function checkedOut(): Promise<string> {
  const { stdout } = await promisify(execFile)('git', ['describe', '--always', '--dirty', '--exclude=*']);
  return stdout.trim();
}

interface Level {
  readonly ratios: Ratios;
  readonly baseRatios: Ratios;
  readonly ofService: readonly Cost[];
  readonly ofRaw: readonly Cost[];
}

async function record(callers: number, { ratios, baseRatios, ofService, ofRaw }: Level): Promise<void> {
  const mean = (costs: readonly Cost[], valueOf: (cost: Cost) => number): number =>
    costs.reduce((sum, cost) => sum + valueOf(cost), 0) / costs.length;
  const processes = ['api', 'worker', 'browser', 'gpu', 'network', 'renderers', 'other'];
  const cells = [
    new Date().toISOString().slice(0, 16),
    measured,
    commit,
    callers,
    ofRaw.length,
    ...MEASURES.map((measure) => ratios[measure].mean.toFixed(3)),
    ...MEASURES.map((measure) => baseRatios[measure].mean.toFixed(3)),
    mean(ofRaw, ({ cpu }) => cpu).toFixed(1),
    ...processes.map((name) => mean(ofService, ({ byProcess }) => byProcess[name] ?? 0).toFixed(1)),
  ];
  await appendFile('bench/history.csv', `${cells.join(',')}\n`);
}
