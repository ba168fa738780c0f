/**
 * `npm run bench -- sessions [--rows 1000 --captures 100]`: what sessions cost. First the rows of a batch that are captured with one
 * session by four workers, how often that logs in, and what is charged. Then the duration and CPU time of captures with a session, which has cookies,
 * local storage and IndexedDB, beside the same captures with `cookies`; they alternate in
 * blocks, so that other load of the machine affects both.
 */
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startApps } from '../test/support/apps.js';
import { Client, json, type Json } from '../test/support/client.js';
import { eventually } from '../test/support/eventually.js';
import { LogInSite, PASSWORD, SEED } from '../test/support/log-in-site.js';
import { readTree } from './process-tree.js';
import { percentile } from './round.js';

const { values } = parseArgs({
  options: { rows: { type: 'string', default: '1000' }, captures: { type: 'string', default: '100' } },
});
const [rows, captures] = [Number(values.rows), Number(values.captures)];

/** Each captures one page at a time, so that four share the cores of one that captures four. */
const WORKERS = 4;
const REPORT_ROWS = 100;
/** Captures of one kind in a row. */
const BLOCK = 10;
const RENDERER_ENDS_MS = 500;

const site = await LogInSite.open();
await using apps = await startApps({
  EGRESS_ALLOW: `127.0.0.1:${site.port}`,
  WORKER_SLOTS: '1',
  HOST_CONCURRENCY: '100',
  // The CPU time of a browser that is replaced would be missing.
  BROWSER_MAX_CAPTURES: '100000',
});
const client = new Client(apps);
try {
  if (captures > 0) await compareWithCookies();
  if (rows > 0) await captureRows();
} finally {
  await site.close();
}

async function captureRows(): Promise<void> {
  await using others = new AsyncDisposableStack();
  // Workers that start at once take each other's time, until one is not ready in time.
  for (let started = 1; started < WORKERS; started += 1) {
    const worker = await apps.launch('worker');
    others.defer(() => worker.stop());
    await worker.ready();
  }
  const used = async (): Promise<number> => Number((await json(client.get('/v1/usage'))).used);
  const [logIns, charged] = [site.logIns, await used()];
  await createSession('rows');
  const items = Array.from({ length: rows }, (_, i) => ({
    url: `${site.url}/orders?page=${i}`,
    session: 'rows',
    timeout_ms: 60_000,
  }));
  const began = performance.now();
  const { id } = await json(client.post('/v1/bulk/json', { items }));
  const batch = (): Promise<Json> => json(client.get(`/v1/bulk/${String(id)}`));
  let reported = 0;
  await eventually(
    'the batch has ended',
    async () => {
      const { status, counts } = await batch();
      const { succeeded = 0 } = counts as { readonly succeeded?: number };
      if (succeeded - reported >= REPORT_ROWS) console.log(`${(reported = succeeded)} rows`);
      return status === 'completed';
    },
    3_600_000,
  );
  const seconds = (performance.now() - began) / 1_000;
  console.log(`${rows} rows with one session: ${JSON.stringify((await batch()).counts)}`);
  console.log(
    `${site.logIns - logIns} log-in, ${site.refusals} refused, ${(await used()) - charged} charges, which include that of the log-in`,
  );
  console.log(`${(rows / seconds).toFixed(2)} captures per second over ${WORKERS} workers`);
}

async function compareWithCookies(): Promise<void> {
  await createSession('beside');
  const cookies = [{ name: 'sid', value: site.addSession() }];
  const ways: Readonly<Record<string, Json>> = { cookies: { cookies }, session: { session: 'beside' } };
  const durations = new Map(Object.keys(ways).map((name) => [name, [] as number[]]));
  const cpu = new Map(Object.keys(ways).map((name) => [name, 0]));
  const timed = async (options: Json): Promise<number> => {
    const began = performance.now();
    const response = await client.capture({ url: `${site.url}/orders`, ...options });
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`${JSON.stringify(options)}: ${response.status}`);
    return performance.now() - began;
  };
  // The first block of each warms up. The renderer of a capture ends after it, so that its CPU time is that of a block.
  for (let block = 0; block <= captures / BLOCK; block++) {
    for (const [name, options] of Object.entries(ways)) {
      const before = readTree(apps.pids).cpuS;
      const took: number[] = [];
      while (took.length < BLOCK) took.push(await timed(options));
      await setTimeout(RENDERER_ENDS_MS);
      if (block === 0) continue;
      durations.get(name)?.push(...took);
      cpu.set(name, (cpu.get(name) ?? 0) + readTree(apps.pids).cpuS - before);
    }
  }
  const [without = NaN, withSession = NaN] = [...durations.values()].map((each) => percentile(each, 0.5));
  console.log(
    `p50 with cookies ${without.toFixed(0)} ms, with a session ${withSession.toFixed(0)} ms: ${(withSession - without).toFixed(0)} ms more`,
  );
  const [cpuWithout = NaN, cpuWith = NaN] = [...cpu].map(
    ([name, seconds]) => (1_000 * seconds) / (durations.get(name)?.length ?? NaN),
  );
  console.log(`CPU time with cookies ${cpuWithout.toFixed(0)} ms, with a session ${cpuWith.toFixed(0)} ms`);
}

async function createSession(name: string): Promise<void> {
  const answer = await client.post('/v1/sessions', {
    name,
    origins: [site.url],
    login: {
      url: `${site.url}/login`,
      actions: [
        { type: 'fill', selector: '#user', value: 'ada' },
        { type: 'fill', selector: '#password', secret: 'password' },
        { type: 'fill', selector: '#code', totp: 'seed' },
        { type: 'click', selector: '#in' },
        { type: 'wait', selector: '.welcome' },
      ],
      secrets: { password: PASSWORD, seed: SEED },
    },
  });
  if (answer.status !== 201) throw new Error(await answer.text());
}
