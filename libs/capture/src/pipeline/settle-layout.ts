import type { Visit } from './family.js';
import { waitForFonts } from './idle.js';
import { waitUntilReady } from './readiness.js';
import type { ReadinessReport } from '../page-reports.js';
import { settlePage } from './settle-page.js';

/** Maximum wait for fonts that only the new layout shows. */
const FONTS_MS = 3_000;
/** A picture of this many px is enough to make the browser draw the page. */
const FRAME = { x: 0, y: 0, width: 8, height: 8, scale: 1 };

/** How a page took a change of its window. */
export interface SettledLayout {
  /** Absent when no script of the page reacted. */
  readonly readiness?: ReadinessReport;
  /** Whether everything that the change made the page request has arrived. */
  readonly isWhole: boolean;
}

/**
 * Changes the window of a page that has loaded, and waits until its layout has settled: requests of the new layout (other
 * candidates of `srcset`, background images, fonts), transitions, and what scripts make of it. Scripts that react draw charts again,
 * often only after a delay, so that the page has to be quiet then, for at most `quietMs`. A page whose scripts do not react is
 * not waited for: resize events, media queries and resize observers all run with the next frame.
 */
export async function settleLayout(
  visit: Visit,
  change: () => Promise<void>,
  quietMs: number,
): Promise<SettledLayout> {
  visit.activity?.act();
  await visit.cdp.send('Performance.enable', { timeDomain: 'timeTicks' });
  const before = await scriptTime(visit);
  await change();
  await drawFrame(visit);
  const hasReacted = (await scriptTime(visit)) !== before;
  visit.activity?.act();
  const until = performance.now() + Math.min(quietMs, visit.remainingMs() / 3);
  const readiness = hasReacted ? { readiness: await waitUntilReady(visit, 'action', until) } : {};
  const isWhole = await settlePage(visit, false);
  await waitForFonts(visit, performance.now() + Math.min(FONTS_MS, visit.remainingMs() / 3));
  return { ...readiness, isWhole };
}

/** Total run time of the scripts of the page so far, once the metrics are enabled. */
export async function scriptTime({ cdp }: Visit): Promise<number | undefined> {
  const { metrics } = await cdp.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'ScriptDuration')?.value;
}

/** Returns once the page has been laid out and drawn in its new window. */
async function drawFrame({ cdp }: Visit): Promise<void> {
  await cdp.send('Page.captureScreenshot', { format: 'jpeg', quality: 1, clip: FRAME });
}
