/**
 * `npm run soak`: hundreds of captures, good and hostile, and the resources of the service after each wave of them.
 *
 * After a warm-up nothing may grow: neither the memory of the two Node processes nor the number of their child processes,
 * descriptors and folders. It fails when something does.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startApps } from '../../test/support/apps.js';
import { HostileSite } from '../../test/support/hostile-site.js';
import { servePages } from '../pages.js';
import { readBelongings, type Belongings, type Reading } from './belongings.js';
import { captureWave, type SoakPage } from './captures.js';
import { heldBytes, INSPECTED } from './heap.js';

const SLOTS = 2;
/** Waves after which caches, compiled code and pools have their final size. */
const WARM_UP = 2;
const QUIET_MS = 60_000;
/**
 * The permitted growth from the end of the warm-up to the end. Resident memory varies most: the time of a garbage collection
 * is not fixed, and the process keeps part of the freed memory.
 */
const TOLERANCE: Readonly<Record<keyof Belongings, number>> = {
  apiBytes: 30e6,
  workerBytes: 40e6,
  apiHeap: 3e6,
  workerHeap: 3e6,
  processes: 2,
  descriptors: 4,
  folders: 2,
  browsers: 0,
};

const { values } = parseArgs({
  options: { captures: { type: 'string', default: '500' }, wave: { type: 'string', default: '50' } },
});
const waveSize = Number(values.wave);
const waves = Math.ceil(Number(values.captures) / waveSize);
if (!(waves >= WARM_UP + 3)) throw new Error(`${waves} waves are too few to see growth.`);

await using good = await servePages();
const hostile = await HostileSite.open();
const apps = await startApps({
  ...INSPECTED,
  EGRESS_ALLOW: `127.0.0.1:${good.port},127.0.0.1:${hostile.port}`,
  WORKER_SLOTS: String(SLOTS),
  BROWSER_MAX_MEMORY_BYTES: '700000000',
  BROWSER_MAX_DECODED_BYTES: '30000000',
});
try {
  await soak();
} finally {
  await apps.stop();
  await hostile.close();
}

async function soak(): Promise<void> {
  const pages = mixture();
  const readings: Belongings[] = [await whenIdle()];
  print('before', readings[0]);
  for (let wave = 1; wave <= waves; wave += 1) {
    const ends = await captureWave(apps, pages, SLOTS * 2);
    const now = await whenIdle();
    readings.push(now);
    print(`wave ${wave}`, now, [...ends].map(([end, count]) => `${count} ${end}`).join(', '));
  }
  for (const [name, more] of growthOf(readings.slice(1 + WARM_UP))) {
    const grows = more > TOLERANCE[name];
    console.log(`${name}: ${grows ? 'GROWS by' : 'flat,'} ${more}`);
    if (grows) process.exitCode = 1;
  }
}

/** The pages of a wave: four good ones for each hostile one. */
function mixture(): SoakPage[] {
  const bad: readonly SoakPage[] = [
    { url: hostile.url('loop.html'), options: { timeout_ms: 1_500 } },
    { url: hostile.url('dialogs.html') },
    { url: hostile.url('buffers.html'), options: { wait_for_function: 'false', timeout_ms: 15_000 } },
    { url: hostile.url('/bomb'), options: { timeout_ms: 10_000 } },
    { url: hostile.url('windows.html') },
    { url: hostile.url('/zip') },
    { url: hostile.url('/redirects') },
    { url: hostile.url('worker.html') },
    { url: hostile.url('prompts.html') },
    { url: hostile.url('/trickle'), options: { timeout_ms: 1_500 } },
  ];
  return Array.from({ length: waveSize }, (_, index) => {
    const isBad = index % 5 === 4;
    const page = isBad ? bad[Math.floor(index / 5) % bad.length] : undefined;
    return page ?? { url: good.urls[index % good.urls.length] ?? '' };
  });
}

/** Reads the resources once every slot has its browser and two readings in a row are equal. */
async function whenIdle(): Promise<Belongings> {
  const until = performance.now() + QUIET_MS;
  for (let before = readNow(); performance.now() < until;) {
    await wait(1_000);
    const now = readNow();
    const isSame = now.processes === before.processes && now.descriptors === before.descriptors;
    if (now.browsers === SLOTS && isSame && now.folders === before.folders) {
      const apiHeap = await heldBytes(apps.api.log());
      return { ...now, apiHeap, workerHeap: await heldBytes(apps.worker.log()) };
    }
    before = now;
  }
  throw new Error('The service does not become idle.');
}

function readNow(): Reading {
  return readBelongings(apps.api.pid, apps.worker.pid);
}

/** The growth of each resource: its minimum in the last third of the readings minus that in the first third. */
function growthOf(readings: readonly Belongings[]): (readonly [name: keyof Belongings, more: number])[] {
  const third = Math.max(1, Math.floor(readings.length / 3));
  const least = (part: readonly Belongings[], name: keyof Belongings): number =>
    Math.min(...part.map((reading) => reading[name]));
  const names = Object.keys(TOLERANCE) as (keyof Belongings)[];
  return names.map((name) => [
    name,
    least(readings.slice(-third), name) - least(readings.slice(0, third), name),
  ]);
}

function print(when: string, reading: Belongings | undefined, ends = ''): void {
  if (reading === undefined) return;
  const { apiBytes, workerBytes, apiHeap, workerHeap, processes, descriptors, folders } = reading;
  const mb = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
  console.log(
    `${when.padEnd(8)} api ${mb(apiBytes)} (holds ${mb(apiHeap)}), worker ${mb(workerBytes)} (holds ${mb(workerHeap)}), ${processes} processes, ` +
      `${descriptors} descriptors, ${folders} files and folders; ${ends}`,
  );
}
