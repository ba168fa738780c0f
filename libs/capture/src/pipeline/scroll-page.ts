import { setTimeout as delay } from 'node:timers/promises';
import type { Visit } from './family.js';
import { inPage, type SafeAccess } from './in-page.js';
import { waitForRequests } from './wait.js';

/** A feed without end is walked this long at most. */
const WALK_MS = 8_000;
/** Time for a page to notice that it was scrolled: an observer is notified with the next frame, some 16 ms on. */
const STEP_MS = 50;
/** Time for a page to notice that it is back: a header may change its size with a transition. */
const FRAME_MS = 20;
/** How long the first step waits at most for what it requested. */
const PATIENCE_MS = 500;

/**
 * Scrolls down the page, a window at a time, until its end, `maxHeight` CSS px or the time is reached, so that what
 * loads only when it is seen is requested; then goes back. `settlePage` waits for what is still under way by then.
 *
 * Each step waits for the requests that it caused, because a page may grow with the answers. A step whose time runs out
 * halves the time of the next ones: requests that are slow, or never end, cost about a second in all, and load side by
 * side. The end of the page is different: whether it is the end is known when everything has come. Transitions go on
 * out of sight, and need no waiting here.
 *
 * @param backTo Where to go back to: the top, or where the page was.
 * @returns whether the end was reached in time
 */
export async function scrollThrough(
  visit: Visit,
  maxHeight: number,
  backTo: 'top' | 'start',
): Promise<boolean> {
  const until = performance.now() + Math.min(WALK_MS, visit.remainingMs() / 3);
  const { activity } = visit;
  activity?.act();
  const start = await inPage(visit, step, null);
  let end = Math.min(start.end, maxHeight);
  let waitBudgetMs = PATIENCE_MS;
  let y = start.window;
  for (; y < end && performance.now() < until; y += start.window) {
    activity?.actAgain();
    await inPage(visit, step, y);
    await delay(STEP_MS, undefined, { signal: visit.signal });
    const stepsLeft = Math.ceil((end - y) / start.window) - 1;
    if (stepsLeft === 0) {
      activity?.awaitAll();
      await waitForRequests(visit, until);
    } else {
      const shareMs = (until - performance.now()) / stepsLeft - STEP_MS;
      const bound = performance.now() + Math.min(waitBudgetMs, shareMs);
      if (!(await waitForRequests(visit, bound))) waitBudgetMs /= 2;
    }
    // Only now: a page may have grown for having been scrolled.
    end = Math.min((await inPage(visit, step, null)).end, maxHeight);
  }
  activity?.act(FRAME_MS);
  await inPage(visit, step, backTo === 'top' ? 0 : start.at);
  return y >= end;
}

/** Runs in the page: goes there, if anywhere, and makes lazy things load at once. */
function step(y: number | null, safe: SafeAccess): { at: number; end: number; window: number } {
  const at = window.scrollY;
  const page = safe(document);
  for (const lazy of page.querySelectorAll<HTMLImageElement | HTMLIFrameElement>('[loading=lazy]')) {
    lazy.loading = 'eager';
  }
  if (y !== null) window.scrollTo({ top: y, behavior: 'instant' });
  const root = (page.scrollingElement ?? page.documentElement) as Element | null;
  return { at, end: root ? safe(root).scrollHeight : 0, window: Math.max(100, window.innerHeight) };
}
