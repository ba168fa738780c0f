/**
 * `npm run bench -- cache [--seconds 4] [--rounds 3]`: how many answers of the cache the API gives per second, over 16 and 64
 * connections, compared with `GET /v1/version` and with a bare Nest route. The file has about 100 kB. Then 1,000 identical
 * requests at once: how many visits, and how long the last waits. Contestants alternate, so that other load of the machine
 * affects all.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import sharp from 'sharp';
import { startApps } from '../test/support/apps.js';
import { startContestant } from './contestant.js';
import { openAccounts } from './load.js';
import type { Load, LoadResult } from './raw-load.js';
import { percentile } from './round.js';

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '4' }, rounds: { type: 'string', default: '3' } },
});
const ms = Number(values.seconds) * 1_000;

/** A picture of noise, which no format makes small. */
const noise = await sharp(randomBytes(180 * 180 * 3), { raw: { width: 180, height: 180, channels: 3 } })
  .png()
  .toBuffer();
let visits = 0;
const site = createServer((request, response) => {
  if (request.url === '/noise.png') return response.setHeader('content-type', 'image/png').end(noise);
  visits += 1;
  return response.setHeader('content-type', 'text/html').end('<body style="margin:0"><img src="/noise.png">');
}).listen(0, '127.0.0.1');
await once(site, 'listening');
const sitePort = (site.address() as AddressInfo).port;

await using apps = await startApps({ EGRESS_ALLOW: `127.0.0.1:${sitePort}` });
const [account] = await openAccounts(apps.database.url, 1);
const apiPort = Number(new URL(apps.url).port);
const bare = fork(new URL('bare-nest.js', import.meta.url), { stdio: 'inherit' });
const [barePort] = (await once(bare, 'message')) as [number];
const loader = await startContestant('raw-load.js');

const options = { url: `http://127.0.0.1:${sitePort}/`, cache_ttl_s: 3_600 };
const body = JSON.stringify(options);
const headers = { authorization: `Bearer ${account?.key}`, 'content-type': 'application/json' };
const first = await fetch(`${apps.url}/v1/capture`, { method: 'POST', headers, body });
if (!first.ok) throw new Error(await first.text());
const { byteLength } = await first.arrayBuffer();
const link = JSON.stringify({ ...options, expires_in_s: 3_600 });
const links = await fetch(`${apps.url}/v1/links`, { method: 'POST', headers, body: link });
if (!links.ok) throw new Error(await links.text());
const { pathname, search } = new URL(((await links.json()) as { url: string }).url);
await fetch(apps.url + pathname + search).then((response) => response.arrayBuffer());

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`;
const CONTESTANTS: Readonly<Record<string, Pick<Load, 'port' | 'request'>>> = {
  'bare Nest route': { port: barePort, request: get('/') },
  'GET /v1/version': { port: apiPort, request: get('/v1/version') },
  'GET /v1/render': { port: apiPort, request: get(pathname + search) },
  'POST /v1/capture': {
    port: apiPort,
    request: [
      'POST /v1/capture HTTP/1.1',
      'host: 127.0.0.1',
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      `content-length: ${Buffer.byteLength(body)}`,
      `\r\n${body}`,
    ].join('\r\n'),
  },
};

console.log(`file: ${byteLength} bytes`);
for (const connections of [16, 64]) await compare(connections);
await stampede();
loader.disconnect();
bare.disconnect();
site.close();

async function compare(connections: number): Promise<void> {
  const results = new Map<string, { rates: number[]; durations: number[] }>();
  for (let round = -1; round < Number(values.rounds); round++) {
    for (const [name, request] of Object.entries(CONTESTANTS)) {
      loader.send({ ...request, connections, ms: round < 0 ? ms / 4 : ms } satisfies Load);
      const [{ durations, elapsed }] = (await once(loader, 'message')) as [LoadResult];
      if (round < 0) continue;
      const result = results.get(name) ?? { rates: [], durations: [] };
      result.rates.push(durations.length / (elapsed / 1_000));
      for (const duration of durations) result.durations.push(duration);
      results.set(name, result);
    }
  }
  const reference = percentile(results.get('GET /v1/version')?.rates ?? [], 0.5);
  console.log(`\n${connections} connections       answers/s   / version    p50 ms    p99 ms   p99/p50`);
  for (const [name, { rates, durations }] of results) {
    const rate = percentile(rates, 0.5);
    const [p50, p99] = [percentile(durations, 0.5), percentile(durations, 0.99)];
    const cells = [
      rate.toFixed(0),
      (rate / reference).toFixed(2),
      p50.toFixed(2),
      p99.toFixed(2),
      (p99 / p50).toFixed(1),
    ];
    console.log(name.padEnd(20) + cells.map((cell) => cell.padStart(10)).join(' '));
  }
}

async function stampede(): Promise<void> {
  const before = visits;
  const began = performance.now();
  const same = JSON.stringify({ ...options, cache_key: 'stampede' });
  const answers = await Promise.all(
    Array.from({ length: 1_000 }, async () => {
      const response = await fetch(`${apps.url}/v1/capture`, { method: 'POST', headers, body: same });
      await response.arrayBuffer();
      return `${response.status} ${response.headers.get('x-cache')}`;
    }),
  );
  const counts = Object.entries(Object.groupBy(answers, (answer) => answer)).map(
    ([answer, all = []]) => `${all.length} × ${answer}`,
  );
  console.log(`\n1,000 identical requests at once: ${visits - before} visit, ${counts.join(', ')}`);
  console.log(`the last after ${(performance.now() - began).toFixed(0)} ms`);
}
