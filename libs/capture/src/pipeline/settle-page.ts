import { setTimeout as delay } from 'node:timers/promises';
import type { Visit } from './family.js';
import { inPage, type SafeAccess } from './in-page.js';
import { withDeadline, poll, WaitTimeoutError } from './wait.js';

/** How long what the capture set off in the page is awaited. */
const SETTLE_MS = 5_000;
/** An entrance or a transition is over within this; what takes longer is part of how the page looks. */
const MOTION_MS = 2_000;
/** The frame in which an animation ends is drawn. */
const FRAME_MS = 20;

/**
 * Waits, in bounded time, until the page looks as it stays: what the capture set off in it has loaded, and the animations
 * that end soon have ended. A page in which nothing was set off and nothing moves is only asked once.
 *
 * @param isWalked Whether the page was walked: then all its pictures and fonts are awaited.
 * @returns whether everything that was set off has come
 */
export async function settlePage(visit: Visit, isWalked: boolean): Promise<boolean> {
  const until = performance.now() + Math.min(SETTLE_MS, visit.remainingMs() / 3);
  const isWhole = await loaded(visit, isWalked, until);
  await animationsOver(visit);
  return isWhole;
}

async function loaded(visit: Visit, isWalked: boolean, until: number): Promise<boolean> {
  const { activity } = visit;
  if (!activity?.hasActed) return true;
  activity.awaitAll();
  return inBoundedTime(
    poll(visit, { until, message: 'what was set off' }, async () => {
      if (!activity.isOver() || !(await inPage(visit, isDrawable, { selector: ':root', all: isWalked })))
        return false;
      // An answer that came meanwhile may have led to more.
      return activity.isOver();
    }),
  );
}

/** Waits, in bounded time, for the pictures within an element; one that does not come does not stop the capture. */
export async function waitForImages(visit: Visit, selector: string): Promise<void> {
  const until = performance.now() + Math.min(SETTLE_MS, visit.remainingMs() / 3);
  await inBoundedTime(
    poll(visit, { until, message: 'the pictures' }, () => inPage(visit, isDrawable, { selector, all: true })),
  );
}

async function inBoundedTime(wait: Promise<void>): Promise<boolean> {
  try {
    await wait;
    return true;
  } catch (error) {
    if (!(error instanceof WaitTimeoutError)) throw error;
    return false;
  }
}

interface Drawn {
  readonly selector: string;
  /** Also those that have not come yet, and the fonts. */
  readonly all: boolean;
}

/**
 * Runs in the page: whether the pictures within an element are there and decoded. Decoding comes after loading; Chromium may photograph a large picture before it.
 */
async function isDrawable({ selector, all }: Drawn, safe: SafeAccess): Promise<boolean> {
  const page = safe(document);
  const images = [...page.querySelectorAll(selector)].flatMap((element) =>
    element instanceof HTMLImageElement ? [element] : [...safe(element).querySelectorAll('img')],
  );
  if (all) for (const img of images) if (img.loading === 'lazy') img.loading = 'eager';
  if (all && (page.fonts.status !== 'loaded' || images.some((img) => !img.complete))) return false;
  const come = images.filter((img) => img.complete);
  await Promise.all(come.map((img) => img.decode().catch(() => undefined)));
  return true;
}

/** Waits, in bounded time, for the animations and transitions that end soon, and for those that follow them. */
async function animationsOver(visit: Visit): Promise<void> {
  const until = performance.now() + Math.min(MOTION_MS, visit.remainingMs() / 3);
  const look = (): Promise<Motion> =>
    withDeadline(
      { until, message: 'the page is busy' },
      inPage(visit, motionOf, Math.max(0, until - performance.now())),
    );
  const allOver = async (): Promise<void> => {
    for (;;) {
      const { leftMs, hasDrawings } = await look();
      visit.hasDrawings = hasDrawings;
      if (leftMs === 0) return;
      await delay(leftMs + FRAME_MS, undefined, { signal: visit.signal });
    }
  };
  await inBoundedTime(allOver());
}

interface Motion {
  /** Time until the last of the animations is over that end soon; 0 if none does. */
  readonly leftMs: number;
  readonly hasDrawings: boolean;
}

/**
 * Runs in the page: how it moves. Animations that are endless, paused or follow the scroll position do not end within
 * `withinMs`.
 */
function motionOf(withinMs: number, safe: SafeAccess): Motion {
  const page = safe(document);
  let leftMs = 0;
  for (const { playState, timeline, playbackRate: rate, currentTime, effect } of page.getAnimations()) {
    if (playState !== 'running' || !(timeline instanceof DocumentTimeline)) continue;
    const at = Number(currentTime);
    const left = (rate > 0 ? Number(effect?.getComputedTiming().endTime) - at : at) / Math.abs(rate);
    if (left > leftMs && left <= withinMs) leftMs = left;
  }
  const hasDrawings = [...page.querySelectorAll('canvas, svg')].some((element) => {
    const { top, left, bottom, right } = safe(element).getBoundingClientRect();
    const width = Math.min(right, window.innerWidth) - Math.max(left, 0);
    // Less than this is an icon.
    return width >= 100 && Math.min(bottom, window.innerHeight) - Math.max(top, 0) >= 50;
  });
  return { leftMs, hasDrawings };
}
