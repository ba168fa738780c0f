import { setTimeout as delay } from 'node:timers/promises';
import type { Visit } from '../pipeline/family.js';
import { inPage, type SafeAccess } from '../pipeline/in-page.js';
import { drawFrames, waitForRequests } from '../pipeline/wait.js';

/** Maximum time for scrolling through an endless feed. */
const SCROLL_MS = 8_000;
/** Minimum time for a page to react to a scroll step. */
const STEP_MS = 50;
/** Maximum wait of the first step for the frames with which observers are notified; on idle cores they take 32 ms. */
const MAX_FRAMES_WAIT_MS = 500;
/** Time for a page to react to the scroll back: a header may start a transition. */
const FRAME_MS = 20;
/** Maximum wait of the first step for the requests that it caused. */
const MAX_STEP_WAIT_MS = 500;

/**
 * Scrolls down the page by one window at a time, to its end, to `maxHeight` CSS px or until the time is over, so that lazy
 * content is requested; then scrolls back. `settlePage` waits for requests that are still in flight.
 *
 * Each step waits for the frame after which observers are notified, and for the requests that it caused, because the page may
 * grow with the responses. A wait that times out is halved in the following steps: slow or endless requests cost about a second
 * in all and load in parallel, and a page that is not drawn costs another second. At the end of the page it waits for all
 * requests, because they may move the end. Transitions continue out of view and need no wait here.
 *
 * @param backTo the top, or the position where the page was
 * @returns whether the end was reached in time
 */
export async function walkPage(visit: Visit, maxHeight: number, backTo: 'top' | 'start'): Promise<boolean> {
  const until = performance.now() + Math.min(SCROLL_MS, visit.remainingMs() / 3);
  const { activity } = visit;
  activity?.act();
  const start = await inPage(visit, step, null);
  let end = Math.min(start.end, maxHeight);
  let stepWaitMs = MAX_STEP_WAIT_MS;
  let framesWaitMs = MAX_FRAMES_WAIT_MS;
  let y = start.window;
  for (; y < end && performance.now() < until; y += start.window) {
    activity?.actAgain();
    await inPage(visit, step, y);
    const [isDrawn] = await Promise.all([
      !visit.page.isJavaScriptEnabled() ||
        drawFrames(visit, Math.min(until, performance.now() + framesWaitMs)),
      delay(STEP_MS, undefined, { signal: visit.signal }),
    ]);
    if (!isDrawn) framesWaitMs /= 2;
    const stepsLeft = Math.ceil((end - y) / start.window) - 1;
    if (stepsLeft === 0) {
      activity?.awaitAll();
      await waitForRequests(visit, until);
    } else {
      const shareMs = (until - performance.now()) / stepsLeft - STEP_MS;
      const bound = performance.now() + Math.min(stepWaitMs, shareMs);
      if (!(await waitForRequests(visit, bound))) stepWaitMs /= 2;
    }
    // Measured again because scrolling may have made the page grow.
    end = Math.min((await inPage(visit, step, null)).end, maxHeight);
  }
  activity?.act(FRAME_MS);
  await inPage(visit, step, backTo === 'top' ? 0 : start.at);
  return y >= end;
}

/** Runs in the page. Scrolls to `y`, unless it is null, and makes lazy elements load at once. */
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
