/**
 * `npm run bench -- crawls [--pages 200 --rounds 3 --folder …]`: what finding pages costs. Each round crawls the pages of a folder,
 * by default the Debian handbook, and captures those that were found once more as a batch; the order alternates, so that other load
 * of the machine affects both. It prints the throughput of the crawl as a share of that of the batch, and the CPU time
 * and memory of the API and of the worker without its browsers.
 */
import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { startApps } from '../test/support/apps.js';
import { Client, json, type Json } from '../test/support/client.js';
import { CrawlSite } from '../test/support/crawl-site.js';
import { eventually } from '../test/support/eventually.js';
import { estimate } from './confidence.js';

const { values } = parseArgs({
  options: {
    pages: { type: 'string', default: '200' },
    rounds: { type: 'string', default: '3' },
    folder: { type: 'string' },
  },
});
const [limit, rounds] = [Number(values.pages), Number(values.rounds)];
const folder = values.folder ?? handbook();
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
};
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

const site = await new CrawlSite().open();
site.describe({
  '/*': (_, response, url) =>
    void serve(url).then(
      (bytes) =>
        response.setHeader('content-type', TYPES[path.extname(url.pathname)] ?? 'text/html').end(bytes),
      () => response.writeHead(404).end(),
    ),
});
await using apps = await startApps({ EGRESS_ALLOW: `127.0.0.1:${site.port}` });
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
  await site.close();
}

/** The handbook as its package installs it, or as tests have fetched it. */
function handbook(): string {
  const places = ['.data/tools/manuals', '/'].map((root) =>
    path.join(root, 'usr/share/doc/debian-handbook/html/en-US'),
  );
  const found = places.find((each) => existsSync(each));
  if (found === undefined) throw new Error('Install the Debian package debian-handbook, or give --folder.');
  return found;
}

async function serve({ pathname }: URL): Promise<Buffer> {
  const file = path.join(folder, path.posix.normalize(decodeURIComponent(pathname)));
  return readFile(file);
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
  const url = `${site.origin}/index.html`;
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

async function ended(address: string): Promise<void> {
  const record = (): Promise<Json> => json(client.get(address));
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
