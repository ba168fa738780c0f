/**
 * `npm run bench -- ready [--rounds 8]`: what `wait_until: auto` costs on pages that are complete at their load, compared
 * with `load`.
 *
 * The engine captures each page with both, one right after the other and in alternating order, so that other load of the
 * machine affects both. HTTP, queue and store, which would hide the difference, do not take part. It prints p50 and p95 of
 * both, the ratio of p50, and the pages that `auto` waited for. `auto` is the default of `wait_until` as long as the ratio is
 * at most 1.05.
 */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { BrowserPoolService } from '@app/browser';
import { parseOptions } from '@app/capture';
import { CaptureEngine } from '@app/capture/engine';
import { Env } from '@app/config';
import { instantiate } from '@app/kernel';
import { noFilters } from '../test/support/filters.js';
import { loopbackEgress } from '../test/support/loopback-egress.js';
import { servePages } from './pages.js';
import { percentile } from './round.js';

/** Manuals that Debian installs with usual packages: with and without scripts. */
const MANUALS = '/usr/share/doc';
const MANUAL_PAGES = [
  ...['assert', 'child_process', 'dns', 'globals', 'path', 'zlib'].map((name) => `nodejs/api/${name}.html`),
  ...['FAQ', 'manual', 'quick-start', 'manual-core'].map((name) => `valgrind/html/${name}.html`),
];
const TYPES: Readonly<Record<string, string>> = { '.css': 'text/css', '.js': 'text/javascript' };
/** A look at a page takes less, even on a busy machine. */
const WAITED_MS = 100;

const MOMENTS = ['load', 'auto'] as const;

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '8' } } });
const env = instantiate(Env, {
  WORKER_SLOTS: 1,
  BROWSER_MAX_CAPTURES: 100_000,
  PUPPETEER_EXECUTABLE_PATH: process.env.PUPPETEER_EXECUTABLE_PATH,
  BROWSER_LIBRARY_PATH: process.env.BROWSER_LIBRARY_PATH,
  CHROMIUM_SANDBOX: process.env.CHROMIUM_SANDBOX ?? 'on',
});
await using pages = await servePages();
using manuals = await serveManuals();
const pool = new BrowserPoolService(env, loopbackEgress());
const engine = new CaptureEngine(pool, { maxBytes: env.RESULT_MAX_BYTES, filters: noFilters });
const durations = { load: [] as number[], auto: [] as number[] };
const ratios: number[] = [];
const waited = new Map<string, number>();

try {
  await pool.start();
  const urls = [...pages.urls, ...manuals.urls];
  // The first round warms up.
  for (let round = 0; round <= Number(values.rounds); round += 1) {
    for (const url of urls) await compare(url, round);
  }
  print(urls.length);
} finally {
  await pool.close();
}

async function compare(url: string, round: number): Promise<void> {
  const took = { load: 0, auto: 0 };
  for (const moment of round % 2 === 0 ? MOMENTS : MOMENTS.toReversed()) {
    const started = performance.now();
    const { facts } = await engine.capture(
      parseOptions({ url, wait_until: moment }),
      new AbortController().signal,
    );
    took[moment] = performance.now() - started;
    const waitedMs = facts.readiness?.waited_ms ?? 0;
    if (waitedMs > WAITED_MS) waited.set(url, (waited.get(url) ?? 0) + 1);
  }
  if (round === 0) return;
  for (const moment of MOMENTS) durations[moment].push(took[moment]);
  ratios.push(took.auto / took.load);
}

function print(count: number): void {
  console.log(`${count} pages, ${durations.load.length} captures each`);
  for (const moment of MOMENTS) {
    const [p50, p95] = [0.5, 0.95].map((share) => percentile(durations[moment], share).toFixed(1));
    console.log(`${moment.padEnd(6)} p50 ${p50} ms, p95 ${p95} ms`);
  }
  const ofMedians = percentile(durations.auto, 0.5) / percentile(durations.load, 0.5);
  const medianOfPairs = percentile(ratios, 0.5);
  console.log(`auto / load: p50 ${ofMedians.toFixed(3)}, median of pairs ${medianOfPairs.toFixed(3)}`);
  for (const [url, times] of waited)
    console.log(`auto waited more than ${WAITED_MS} ms ${times} times for ${url}`);
}

interface Manuals extends Disposable {
  readonly urls: readonly string[];
}

/** Serves the manuals, as far as they are installed, on loopback. */
async function serveManuals(): Promise<Manuals> {
  const server = createServer(({ url = '' }, response) => {
    const name = path.join(MANUALS, path.normalize(new URL(url, 'http://site.test').pathname));
    readFile(name).then(
      (bytes) => {
        const type = TYPES[path.extname(name)] ?? 'text/html; charset=utf-8';
        // The fonts of another site are left out, as it may not be reachable.
        const body = bytes.toString().replaceAll(/<link[^>]*fonts\.googleapis[^>]*>/g, '');
        response.writeHead(200, { 'content-type': type }).end(body);
      },
      () => response.writeHead(404).end(),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    urls: MANUAL_PAGES.filter((name) => existsSync(path.join(MANUALS, name))).map(
      (name) => `http://127.0.0.1:${port}/${name}`,
    ),
    [Symbol.dispose]: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
