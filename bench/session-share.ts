/**
 * `npm run bench -- session-share [--rows 200 --rounds 4 --round-trip 0 --slots 2]`: what rows of a batch gain by `session_share`. Each
 * round captures the same pages of one site as two batches with a session, whose rows have a context each, or share some; the order
 * alternates, so that other load of the machine affects both. It prints the throughput of both, and the CPU time of a capture.
 */
import { parseArgs } from 'node:util';
import { startApps } from '../test/support/apps.js';
import { Client, json } from '../test/support/client.js';
import { eventually } from '../test/support/eventually.js';
import { estimate } from './confidence.js';
import { readTree } from './process-tree.js';
import { serveSameSite } from './same-site.js';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '200' },
    rounds: { type: 'string', default: '4' },
    'round-trip': { type: 'string', default: '0' },
    slots: { type: 'string', default: '2' },
  },
});
const rows = Number(values.rows);
const WAYS = { 'own contexts': false, shared: true } as const;

interface Cost {
  readonly perSecond: number;
  readonly cpuMs: number;
}

// Without a certificate that the browser knows, it caches nothing that came by HTTPS.
using site = await serveSameSite({
  cacheControl: 'max-age=600',
  roundTripMs: Number(values['round-trip']),
  scheme: 'http:',
});
const { host, hostname: domain, origin } = new URL(site.origin);
await using apps = await startApps({
  EGRESS_ALLOW: host,
  WORKER_SLOTS: values.slots,
  HOST_CONCURRENCY: '100',
  // The CPU time of a browser that is replaced would be missing.
  BROWSER_MAX_CAPTURES: '100000',
});
const client = new Client(apps);
const cookie = { name: 'sid', value: 'a1b2', domain, path: '/', expires: -1, httpOnly: true, secure: false };
const state = {
  cookies: [cookie],
  origins: [{ origin, localStorage: [{ name: 'token', value: 'a1b2' }] }],
};
const created = await client.post('/v1/sessions', { name: 'site', origins: [origin], state });
if (created.status !== 201) throw new Error(await created.text());

// The first round of both warms up.
const ratios: number[] = [];
for (let round = 0; round <= Number(values.rounds); round++) {
  const ways = Object.entries(WAYS);
  const costs = new Map<string, Cost>();
  for (const [name, isShared] of round % 2 === 0 ? ways : ways.toReversed())
    costs.set(name, await capture(isShared));
  if (round === 0) continue;
  for (const [name, { perSecond, cpuMs }] of costs)
    console.log(`${name}: ${perSecond.toFixed(2)} captures per second, ${cpuMs.toFixed(0)} ms of CPU each`);
  const [own, shared] = ways.map(([name]) => costs.get(name)?.perSecond ?? NaN);
  ratios.push((shared ?? NaN) / (own ?? NaN));
}
const { mean, low, high } = estimate(ratios);
console.log(`shared / own: ${mean.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`);

async function capture(isShared: boolean): Promise<Cost> {
  const items = Array.from({ length: rows }, (_, i) => ({ url: site.urls[i % site.urls.length] }));
  const defaults = { session: 'site', session_share: isShared };
  const [began, cpuS] = [performance.now(), readTree(apps.pids).cpuS];
  const { id } = await json(client.post('/v1/bulk/json', { items, defaults }));
  await eventually(
    'the batch has ended',
    async () => {
      const { status, counts } = await json(client.get(`/v1/bulk/${String(id)}`));
      if (status !== 'completed') return false;
      const { succeeded } = counts as { readonly succeeded: number };
      if (succeeded !== rows) throw new Error(`Only ${succeeded} of ${rows} rows succeeded.`);
      return true;
    },
    600_000,
  );
  const seconds = (performance.now() - began) / 1_000;
  return { perSecond: rows / seconds, cpuMs: (1_000 * (readTree(apps.pids).cpuS - cpuS)) / rows };
}
