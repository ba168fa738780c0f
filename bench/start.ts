/**
 * `npm run bench -- start [--rounds 5]`: the time and the CPU from the start of an application until its readiness probe
 * answers 200, with and without Node's compile cache, in turn. The database has its schema, and the browser is known.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { startApps } from '../test/support/apps.js';
import { readTree } from './process-tree.js';
import { percentile } from './round.js';

const NAMES = ['api', 'worker'] as const;

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '5' } } });
const folder = await mkdtemp(path.join(os.tmpdir(), 'capture-start-'));
const VARIANTS = { 'no cache': {}, 'compile cache': { NODE_COMPILE_CACHE: folder } };
await using apps = await startApps();
const readings = new Map<string, { readonly ms: number; readonly cpuS: number; readonly bytes: number }[]>();

try {
  // The first round warms up, and fills the compile cache.
  for (let round = 0; round <= Number(values.rounds); round += 1) {
    for (const name of NAMES)
      for (const [variant, env] of Object.entries(VARIANTS)) {
        const reading = await start(name, env);
        if (round > 0) {
          const title = `${name}, ${variant}`;
          readings.set(title, [...(readings.get(title) ?? []), reading]);
        }
      }
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}

for (const [title, all] of readings) {
  const median = (of: 'ms' | 'cpuS' | 'bytes'): number =>
    percentile(
      all.map((reading) => reading[of]),
      0.5,
    );
  console.log(
    `${title.padEnd(24)} ready after ${median('ms').toFixed(0)} ms, ${median('cpuS').toFixed(2)} s of CPU, ${(median('bytes') / 1e6).toFixed(0)} MB`,
  );
}

async function start(name: (typeof NAMES)[number], env: Readonly<Record<string, string>>) {
  const began = performance.now();
  const app = await apps.launch(name, env);
  await app.ready();
  const ms = performance.now() - began;
  const { cpuS, bytes } = readTree([app.pid]);
  await app.stop();
  return { ms, cpuS, bytes };
}
