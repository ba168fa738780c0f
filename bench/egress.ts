/**
 * `npm run bench -- egress [--captures 24 --rounds 6]`: the cost of the egress proxy. The engine captures the pages of the
 * bench through the proxy and straight from loopback, one capture at a time, in alternating rounds.
 */
import { parseArgs } from 'node:util';
import { BrowserPoolService, type Egress, type EgressProxyFactory } from '@app/browser';
import { parseOptions } from '@app/capture';
import { CaptureEngine } from '@app/capture/engine';
import { Env } from '@app/config';
import { instantiate } from '@app/kernel';
import { EgressGuard, EgressProxy, readEgressPolicy, SystemResolver } from '@app/outbound';
import { servePages } from './pages.js';
import { percentile, runRound } from './round.js';
import { noFilters } from '../test/support/filters.js';

const { values } = parseArgs({
  options: {
    captures: { type: 'string', default: '24' },
    rounds: { type: 'string', default: '6' },
  },
});
const { signal } = new AbortController();

await using pages = await servePages();
const env = instantiate(Env, {
  EGRESS_ALLOW: `127.0.0.1:${pages.port}`,
  WORKER_SLOTS: 1,
  BROWSER_MAX_CAPTURES: 100_000,
  PUPPETEER_EXECUTABLE_PATH: process.env.PUPPETEER_EXECUTABLE_PATH,
  BROWSER_LIBRARY_PATH: process.env.BROWSER_LIBRARY_PATH,
  CHROMIUM_SANDBOX: process.env.CHROMIUM_SANDBOX ?? 'on',
});

const guard = new EgressGuard(readEgressPolicy(env));
const limits = { requests: 1_500, connections: 64, bytes: 50e6 };
const proxied: EgressProxyFactory = {
  open: () => EgressProxy.listen({ guard, resolver: new SystemResolver(), limits }),
};

const nothing = { requests: 0, blocked: 0, bytes: 0, exceeded: null, starved: false, unresolved: false };
const direct: Egress = {
  proxyUrl: 'direct://',
  usage: () => nothing,
  netErrorOf: () => undefined,
  screen: () => undefined,
  restart: () => undefined,
  close: () => Promise.resolve(),
};

const contestants = [
  { name: 'without the proxy', pool: new BrowserPoolService(env, { open: () => Promise.resolve(direct) }) },
  { name: 'with the proxy', pool: new BrowserPoolService(env, proxied) },
].map(({ name, pool }) => ({ name, pool, durations: [] as number[] }));

try {
  for (const { pool } of contestants) await pool.start();
  for (let round = 0; round <= Number(values.rounds); round++) {
    for (const { pool, durations } of contestants) {
      const engine = new CaptureEngine(pool, { maxBytes: env.RESULT_MAX_BYTES, filters: noFilters });
      const plan = { urls: pages.urls, captures: Number(values.captures), concurrency: 1 };
      const result = await runRound(plan, async (url) => {
        await engine.capture(parseOptions({ url }), signal);
      });
      // The first round warms up.
      if (round > 0) durations.push(...result.durations);
    }
  }
  const p50s = contestants.map(({ name, durations }) => {
    const [p50, p95] = [percentile(durations, 0.5), percentile(durations, 0.95)];
    console.log(
      `${name.padEnd(20)} p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms (${durations.length} captures)`,
    );
    return p50;
  });
  const [without = NaN, through = NaN] = p50s;
  console.log(`with / without the proxy: p50 ${(through / without).toFixed(3)}`);
} finally {
  for (const { pool } of contestants) await pool.close();
}
