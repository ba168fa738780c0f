/**
 * `npm run bench -- alarms [--checks 50] [--minutes 600] [--replay] [--threshold 0.01]`: what monitors report. Forty pages with noise change once, and each
 * change should be reported. Eight pages of real manuals with clocks, a random order, advertisements, carousels and counters are
 * checked many times, and should raise no alarm. Then the pictures of these checks are compared again with other thresholds; `--replay`
 * does this alone, with those of the last run. A busy machine needs time, and falsifies nothing.
 */
import { parseArgs } from 'node:util';
import type { ChangeReport } from '@app/capture';
import { startApps } from '../../test/support/apps.js';
import { Client, type Json } from '../../test/support/client.js';
import { CHANGES } from './changes.js';
import { NOISE_HEIGHT } from './noise.js';
import { emptyFolder, readRecording, saveRecording } from './pictures.js';
import { replay, THRESHOLDS } from './replay.js';
import { serveNoisySite } from './site.js';
import { Watch } from './watch.js';

const { values } = parseArgs({
  options: {
    checks: { type: 'string', default: '50' },
    minutes: { type: 'string', default: '600' },
    replay: { type: 'boolean', default: false },
    threshold: { type: 'string' },
  },
});
const until = performance.now() + Number(values.minutes) * 60_000;

if (!values.replay) await record();
await replay(await readRecording(), values.threshold === undefined ? THRESHOLDS : [Number(values.threshold)]);

async function record(): Promise<void> {
  await using site = await serveNoisySite();
  // The priority of browsers does not matter here, and other work of the machine would starve them.
  const settings = { WORKER_SLOTS: '6', HOST_CONCURRENCY: '8', BROWSER_NICENESS: '0' };
  await using apps = await startApps({ EGRESS_ALLOW: `127.0.0.1:${site.port}`, ...settings });
  const client = new Client(apps);
  await emptyFolder();
  const changing = await Watch.start(client, 'changing pages', site.changing);
  site.change();
  reportMissed(await changing.check());
  // Each has a monitor of its own, so that none waits for the slowest.
  const quiet = await Promise.all(
    site.quiet.map((url, page) => Watch.start(client, `quiet page ${page}`, [url])),
  );
  const recording = { quiet: quiet.flatMap(({ histories }) => histories), changing: changing.histories };
  const alarms = await Promise.all(quiet.map((watch) => checkOften(watch, () => saveRecording(recording))));
  console.log(`checks and alarms of each page: ${JSON.stringify(alarms)}`);
}

async function checkOften(
  watch: Watch,
  save: () => void,
): Promise<{ readonly checks: number; readonly alarms: number }> {
  let [checks, alarms] = [0, 0];
  for (; checks < Number(values.checks) && performance.now() < until; checks += 1) {
    const alarming = (await watch.check()).filter(({ outcome }) => outcome === 'changed');
    alarms += alarming.length;
    for (const check of alarming) console.log(JSON.stringify(check));
    save();
  }
  return { checks, alarms };
}

/** Whether something else than noise is reported. */
function isBelowNoise({ boxes }: ChangeReport): boolean {
  return boxes.some(({ y, height }) => y + height > NOISE_HEIGHT);
}

function reportMissed(checks: readonly Json[]): void {
  const missed = checks.filter(
    ({ outcome, change }) => outcome !== 'changed' || !isBelowNoise(change as ChangeReport),
  );
  const names = missed.map(({ page, outcome, reason }) => [CHANGES[Number(page) - 1]?.name, outcome, reason]);
  console.log(`${CHANGES.length} changes: ${missed.length} not reported ${JSON.stringify(names)}`);
}
