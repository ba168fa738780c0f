import { setTimeout as delay } from 'node:timers/promises';
import type { Visit } from '../pipeline/family.js';

/** The chart libraries in use draw for a second by default. A canvas that moves for longer, moves for as long as it is there. */
const DRAWING_MS = 1_500;
/** Between two frames that are compared; a page draws every 16 ms, under load every 50 ms. */
const BETWEEN_MS = 70;

/**
 * The picture that `take` takes. A chart may be half drawn when its page has loaded, and nobody outside the page is
 * notified when it is ready. Where the window shows a canvas or an SVG of that size, and scripts ran while the picture
 * was taken, it is taken again as soon as two frames of the window are equal. A page whose scripts rest pays one round
 * trip for this, and one without such elements nothing.
 */
export async function stillPicture(visit: Visit, take: () => Promise<Uint8Array>): Promise<Uint8Array> {
  if (!visit.hasDrawings) return take();
  const [, before, picture] = await Promise.all([
    visit.cdp.send('Performance.enable', { timeDomain: 'timeTicks' }),
    scriptTime(visit),
    take(),
  ]);
  if ((await scriptTime(visit)) === before) return picture;
  await standsStill(visit);
  return take();
}

/** How long scripts of the page have run so far. */
async function scriptTime({ cdp }: Visit): Promise<number | undefined> {
  const { metrics } = await cdp.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'ScriptDuration')?.value;
}

/** Waits, in bounded time, until two frames of the window are equal. */
async function standsStill(visit: Visit): Promise<void> {
  const until = performance.now() + Math.min(DRAWING_MS, visit.remainingMs() / 3);
  for (let last = ''; performance.now() < until;) {
    const { data } = await visit.cdp.send('Page.captureScreenshot', { format: 'jpeg', quality: 50 });
    if (data === last) return;
    last = data;
    await delay(BETWEEN_MS, undefined, { signal: visit.signal });
  }
}
