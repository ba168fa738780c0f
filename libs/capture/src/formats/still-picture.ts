import { setTimeout as delay } from 'node:timers/promises';
import type { Visit } from '../pipeline/family.js';
import { scriptTime } from '../readiness/settle-layout.js';

/** Common chart libraries animate for a second by default. A canvas that moves longer is assumed to move forever. */
const DRAWING_MS = 1_500;
/** Time between two frames that are compared; a page draws every 16 ms, under load every 50 ms. */
const BETWEEN_MS = 70;

/** What our own listener takes at most when the picture goes beyond the window, in s: Chromium resizes the window for it. */
const OWN_SCRIPT_S = 0.001;

/**
 * Takes a picture by `take`, and takes it again when a chart may have been half drawn, which the page does not report. When the
 * window shows a large canvas or SVG, and scripts ran while the picture was taken, this waits until two frames of the window
 * are equal. It costs a page with idle scripts one round trip, and a page without such elements nothing.
 *
 * @param isBeyond whether the picture goes beyond the window
 */
export async function stillPicture(
  visit: Visit,
  isBeyond: boolean,
  take: () => Promise<Uint8Array>,
): Promise<Uint8Array> {
  if (!visit.hasDrawings || visit.isAsItIs) return take();
  const [, before, picture] = await Promise.all([
    visit.cdp.send('Performance.enable', { timeDomain: 'timeTicks' }),
    scriptTime(visit),
    take(),
  ]);
  const own = isBeyond ? OWN_SCRIPT_S : 0;
  if ((await scriptTime(visit)) - before <= own) return picture;
  await waitForEqualFrames(visit);
  return take();
}

/** Waits, for a bounded time, until two frames of the window are equal. */
async function waitForEqualFrames(visit: Visit): Promise<void> {
  const until = performance.now() + Math.min(DRAWING_MS, visit.remainingMs() / 3);
  for (let last = ''; performance.now() < until;) {
    const { data } = await visit.cdp.send('Page.captureScreenshot', { format: 'jpeg', quality: 50 });
    if (data === last) return;
    last = data;
    await delay(BETWEEN_MS, undefined, { signal: visit.signal });
  }
}
