import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { PictureBox } from '@app/capture';
import { isLearntNoise, NOISE_CHECKS } from '@app/monitors';
import { continueNoise } from '../../apps/worker/src/comparison/noise-boxes.js';
import { OdiffService } from '../../apps/worker/src/comparison/odiff.service.js';
import { comparePictures, type PictureChange } from '../../apps/worker/src/comparison/picture-comparison.js';
import { CHANGES } from './changes.js';
import { CLOCK, NOISE_HEIGHT } from './noise.js';
import { readPicture, type PageHistory, type Recording } from './pictures.js';

export const THRESHOLDS: readonly number[] = [0.1, 0.05, 0.02, 0.01, 0.005, 0];

/** Decides the same checks again, by the rules of libs/monitors, with each threshold. */
export async function replay({ quiet, changing }: Recording, thresholds: readonly number[]): Promise<void> {
  const odiff = new OdiffService();
  const folder = await mkdtemp(path.join(tmpdir(), 'alarms-'));
  try {
    // What one threshold shows, a lower one shows as well.
    let missed = [...changing.keys()];
    for (const threshold of thresholds) {
      const context = { odiff, folder, threshold };
      const still: number[] = [];
      for (const number of missed) {
        const places = (await alarmsOf(context, changing[number] ?? [])).flat();
        if (!places.some(({ y, height }) => y + height > NOISE_HEIGHT)) still.push(number);
      }
      missed = still;
      const names = missed.map((number) => CHANGES[number]?.name);
      console.log(`threshold ${threshold}: ${missed.length} changes missed ${JSON.stringify(names)}`);
    }
    for (const threshold of thresholds) {
      let alarms = 0;
      for (const history of quiet) alarms += (await alarmsOf({ odiff, folder, threshold }, history)).length;
      console.log(`threshold ${threshold}: ${alarms} alarms`);
    }
  } finally {
    odiff.onApplicationShutdown();
    await rm(folder, { recursive: true });
  }
}

interface Context {
  readonly odiff: OdiffService;
  readonly folder: string;
  readonly threshold: number;
}

/** The boxes of what checks would report as changed. A check without a second capture borrows the next one. */
async function alarmsOf(context: Context, history: PageHistory): Promise<(readonly PictureBox[])[]> {
  const alarms: (readonly PictureBox[])[] = [];
  const learnt: (readonly PictureBox[])[] = [];
  const all = history.flat();
  let [baseline = ''] = all;
  for (const [number, [one]] of history.entries()) {
    const two = all[all.indexOf(one ?? '') + 1];
    if (number === 0 || one === undefined || two === undefined) continue;
    if ((await compare(context, [baseline, one])).ratio === 0) continue;
    const differing = await compare(context, [one, two]);
    const found = await compare(context, [baseline, two]);
    if (found.ratio === 0) continue;
    const noise = continueNoise(differing.boxes, found.boxes);
    const change = noise.length > 0 ? await compare(context, [baseline, two], noise) : found;
    const known = learnt.slice(-NOISE_CHECKS).flat();
    learnt.push(noise);
    if (change.ratio === 0 || isLearntNoise(change.boxes, known)) continue;
    alarms.push(change.boxes);
    baseline = two;
  }
  return alarms;
}

async function compare(
  context: Context,
  [before = '', now = '']: readonly string[],
  noise: readonly PictureBox[] = [],
): Promise<PictureChange> {
  return comparePictures({
    ...context,
    before: await readPicture(before),
    now: await readPicture(now),
    ignored: [CLOCK, ...noise],
    signal: new AbortController().signal,
  });
}
