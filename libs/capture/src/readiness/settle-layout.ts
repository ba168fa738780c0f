import type { Visit } from '../pipeline/family.js';
import { waitUntilReady } from './readiness.js';
import type { ReadinessReport } from '../record/readiness.js';

/** A picture of this many px is enough to make the browser draw the page. */
const FRAME = { x: 0, y: 0, width: 8, height: 8, scale: 1 };

/**
 * Changes the window of a page that has loaded, and waits until its scripts have taken it. Scripts that react draw charts again,
 * often only after a delay, so that the page has to be quiet then, for at most `quietMs`. A page whose scripts do not react is
 * not waited for: resize events, media queries and resize observers all run with the next frame. What the new layout requests
 * (other candidates of `srcset`, background images, fonts) and its transitions are awaited by `settlePage`, which has to follow.
 *
 * @returns undefined when no script reacted
 */
export async function settleLayout(
  visit: Visit,
  change: () => Promise<void>,
  quietMs: number,
): Promise<ReadinessReport | undefined> {
  visit.activity?.act();
  await visit.cdp.send('Performance.enable', { timeDomain: 'timeTicks' });
  const before = await scriptTime(visit);
  await change();
  await drawFrame(visit);
  const hasReacted = (await scriptTime(visit)) !== before;
  // The frame has begun what the layout requests.
  visit.activity?.act(0);
  if (!hasReacted) return undefined;
  const until = performance.now() + Math.min(quietMs, visit.remainingMs() / 3);
  return waitUntilReady(visit, 'action', until);
}

/** Total run time of the scripts of the page so far in s, once the metrics are enabled. */
export async function scriptTime({ cdp }: Visit): Promise<number> {
  const { metrics } = await cdp.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'ScriptDuration')?.value ?? 0;
}

/** Returns once the page has been laid out and drawn in its new window. */
async function drawFrame({ cdp }: Visit): Promise<void> {
  await cdp.send('Page.captureScreenshot', { format: 'jpeg', quality: 1, clip: FRAME });
}
