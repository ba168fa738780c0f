/**
 * `npm run bench -- crawls [--pages 200 --rounds 3 --manual 0]`: what finding pages costs. Each round crawls a manual (0: the Debian
 * handbook, 1: the PostgreSQL manual) and captures the pages that were found once more as a batch; the order alternates, so that
 * other load of the machine affects both. It prints the throughput of the crawl as a share of that of the batch, and the CPU time
 * and memory of the API and of the worker without its browsers.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { startApps } from '../test/support/apps.js';
import { Client, json, type Json } from '../test/support/client.js';
import { eventually } from '../test/support/eventually.js';
import { Manuals } from '../test/support/manuals.js';
import { estimate } from './confidence.js';

const { values } = parseArgs({
  options: {
    pages: { type: 'string', default: '200' },
    rounds: { type: 'string', default: '3' },
    manual: { type: 'string', default: '0' },
  },
});
const [limit, rounds, manual] = [Number(values.pages), Number(values.rounds), Number(values.manual)];
const OPTIONS = { format: 'text' };
const MEMORY_PERIOD_MS = 500;

/** What a crawl or a batch took. */
interface Cost {
  readonly seconds: number;
  /** CPU time of the API and the worker. */
  readonly cpuS: number;
  /** The most that each of them had in memory. */
  readonly peakMb: readonly number[];
}

const manuals = await Manuals.open();
const host = new URL(manuals.pages(1)[manual] ?? '').host;
await using apps = await startApps({ EGRESS_ALLOW: host });
const client = new Client(apps);
try {
  const urls = await warmUp();
  console.log(`${urls.length} pages, ${rounds} rounds`);
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? [crawl, capture] : [capture, crawl];
    const costs = new Map<unknown, Cost>();
    for (const run of order) costs.set(run, await measure(() => run(urls)));
    const [crawled, captured] = [costs.get(crawl), costs.get(capture)] as [Cost, Cost];
    ratios.push(captured.seconds / crawled.seconds);
    print('crawl', crawled, urls.length);
    print('batch', captured, urls.length);
  }
  if (ratios.length < 2) console.log(`throughput of a batch: ${ratios[0]?.toFixed(3) ?? ''}`);
  else {
    const { mean, low, high } = estimate(ratios);
    console.log(`throughput of a batch: ${mean.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`);
  }
} finally {
  manuals.close();
}

/** The first crawl finds the pages, and is not measured. */
async function warmUp(): Promise<readonly string[]> {
  const id = await crawl();
  const urls: string[] = [];
  for (let query = ''; ;) {
    const list = await json(client.get(`/v1/crawls/${id}/pages?limit=100${query}`));
    urls.push(...(list.items as { url: string }[]).map(({ url }) => url));
    if (typeof list.next_cursor !== 'string') return urls;
    query = `&cursor=${list.next_cursor}`;
  }
}

async function crawl(): Promise<string> {
  const rules = { source: 'links', same: 'prefix', limit, max_depth: 100, limit_per_pattern: 10_000 };
  const url = `http://${host}/${manual}/index.html`;
  const { id } = await json(client.post('/v1/crawls', { url, ...rules, defaults: OPTIONS }));
  await ended(`/v1/crawls/${String(id)}`);
  return String(id);
}

async function capture(urls: readonly string[]): Promise<string> {
  const items = urls.map((url) => ({ url, ...OPTIONS, metadata: true }));
  const { id } = await json(client.post('/v1/bulk/json', { items }));
  await ended(`/v1/bulk/${String(id)}`);
  return String(id);
}

async function ended(path: string): Promise<void> {
  const record = (): Promise<Json> => json(client.get(path));
  await eventually('it has ended', async () => (await record()).finished_at !== null, 3_600_000);
}

async function measure(work: () => Promise<unknown>): Promise<Cost> {
  const peakMb = apps.pids.map(() => 0);
  const sample = (): void => {
    for (const [i, pid] of apps.pids.entries()) peakMb[i] = Math.max(peakMb[i] ?? 0, residentMb(pid));
  };
  const timer = setInterval(sample, MEMORY_PERIOD_MS);
  const [since, cpuSince] = [performance.now(), cpuOfApps()];
  await work();
  clearInterval(timer);
  return { seconds: (performance.now() - since) / 1_000, cpuS: cpuOfApps() - cpuSince, peakMb };
}

function print(name: string, { seconds, cpuS, peakMb }: Cost, pages: number): void {
  const [api = 0, worker = 0] = peakMb.map(Math.round);
  const rate = `${(pages / seconds).toFixed(2)} pages/s`;
  const cpu = `${((1_000 * cpuS) / pages).toFixed(1)} ms of CPU a page`;
  console.log(`${name}: ${rate}, ${cpu}, API ${api} MB, worker ${worker} MB`);
}

/** The CPU time of the API and the worker in seconds, without that of their children. */
function cpuOfApps(): number {
  const ticks = apps.pids.map((pid) => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [user = 0, system = 0] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13)
      .map(Number);
    return user + system;
  });
  return ticks.reduce((sum, each) => sum + each, 0) / 100;
}

function residentMb(pid: number): number {
  const [, kilobytes = 0] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1_024;
}
