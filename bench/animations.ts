/**
 * `npm run bench -- animations [--rounds 8]`: how long after its load the picture of a page is there, whose libraries animate,
 * with `animations` finish and allow, whether it is that of three seconds later, and what a page without animations pays for
 * the default: CPU time of all processes of the engine and its browser, finish against allow, in blocks that alternate.
 */
import { createHash } from 'node:crypto';
import { parseArgs } from 'node:util';
import { BrowserPoolService } from '@app/browser';
import { parseOptions } from '@app/capture';
import { CaptureEngine } from '@app/capture/engine';
import { Env } from '@app/config';
import { instantiate } from '@app/kernel';
import { noFilters } from '../test/support/filters.js';
import { startFixtureSite } from '../test/support/fixture-site.js';
import { loopbackEgress } from '../test/support/loopback-egress.js';
import { servePages } from './pages.js';
import { readTree } from './process-tree.js';
import { percentile } from './round.js';

const LIBRARIES = ['chartjs', 'echarts', 'apexcharts', 'd3', 'gsap', 'animejs', 'lottie', 'framer-motion'];
const MODES = ['finish', 'allow'] as const;
const BLOCK = 10;

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '8' } } });
const rounds = Number(values.rounds);
const env = instantiate(Env, {
  WORKER_SLOTS: 1,
  BROWSER_MAX_CAPTURES: 100_000,
  BROWSER_NICENESS: 0,
  PUPPETEER_EXECUTABLE_PATH: process.env.PUPPETEER_EXECUTABLE_PATH,
  BROWSER_LIBRARY_PATH: process.env.BROWSER_LIBRARY_PATH,
  CHROMIUM_SANDBOX: process.env.CHROMIUM_SANDBOX ?? 'on',
});
await using pages = await servePages();
await using site = await startFixtureSite();
const pool = new BrowserPoolService(env, loopbackEgress());
const engine = new CaptureEngine(pool, { maxBytes: env.RESULT_MAX_BYTES, filters: noFilters });

try {
  await pool.start();
  for (const library of LIBRARIES) await compare(library);
  await compareIdle();
} finally {
  await pool.close();
}

interface Taken {
  readonly ms: number;
  readonly hash: string;
}

async function capture(url: string, options: object): Promise<Taken> {
  const { files, timings } = await engine.capture(
    parseOptions({ url, ...options }),
    new AbortController().signal,
  );
  const hash = createHash('sha256').update(files[0].bytes).digest('hex');
  return { ms: (timings.settle_ms ?? 0) + (timings.render_ms ?? 0), hash };
}

async function compare(library: string): Promise<void> {
  const url = `${site.url}/animated.html?library=${library}`;
  const later = await capture(url, { animations: 'allow', delay_ms: 3_000 });
  const took = { finish: [] as number[], allow: [] as number[] };
  const same = { finish: 0, allow: 0 };
  for (let round = 0; round < rounds; round += 1) {
    for (const animations of round % 2 === 0 ? MODES : MODES.toReversed()) {
      const { ms, hash } = await capture(url, { animations });
      took[animations].push(ms);
      if (hash === later.hash) same[animations] += 1;
    }
  }
  const of = (mode: (typeof MODES)[number]): string =>
    `${mode} p50 ${percentile(took[mode], 0.5).toFixed(0)} ms, least ${Math.min(...took[mode])} ms, final ${same[mode]} of ${rounds}`;
  console.log(`${library.padEnd(14)} ${MODES.map(of).join('; ')}`);
}

async function compareIdle(): Promise<void> {
  const urls = pages.urls.filter((url) => !url.endsWith('chart.html'));
  const cpuMs = { finish: [] as number[], allow: [] as number[] };
  // The first round warms up.
  for (let round = 0; round <= rounds; round += 1) {
    for (const animations of round % 2 === 0 ? MODES : MODES.toReversed()) {
      const before = readTree([process.pid]).cpuS;
      for (let i = 0; i < BLOCK; i += 1) for (const url of urls) await capture(url, { animations });
      const each = ((readTree([process.pid]).cpuS - before) * 1_000) / (BLOCK * urls.length);
      if (round > 0) cpuMs[animations].push(each);
    }
  }
  const ratios = cpuMs.finish.map((each, i) => each / (cpuMs.allow[i] ?? each));
  const mean = (list: readonly number[]): number => list.reduce((sum, n) => sum + n, 0) / list.length;
  const of = (mode: (typeof MODES)[number]): string => `${mode} ${mean(cpuMs[mode]).toFixed(1)} ms`;
  const spread = Math.sqrt(mean(ratios.map((each) => (each - mean(ratios)) ** 2)) / ratios.length);
  console.log(
    `without animations, CPU of a capture: ${MODES.map(of).join(', ')}; ratio ${mean(ratios).toFixed(3)} ± ${(2 * spread).toFixed(3)}`,
  );
}
