import { setTimeout as delay } from 'node:timers/promises';
import type { Visit } from './family.js';
import { inPage, type SafeAccess } from './in-page.js';
import { endsInTime, poll, withDeadline } from './wait.js';

/** Maximum wait for the requests that the capture caused. */
const SETTLE_MS = 5_000;
/** Entrances and transitions end within this time; a longer animation is part of how the page looks. */
const MOTION_MS = 2_000;
/** Time for the last frame of an animation to be drawn. */
const FRAME_MS = 20;

/**
 * Waits, for a bounded time, until the requests that the capture caused have ended and short animations are over. A page
 * without either costs one round trip.
 *
 * @param isScrolled whether the page was scrolled through: then all its images and fonts are awaited
 * @returns whether all requests ended in time
 */
export async function settlePage(visit: Visit, isScrolled: boolean): Promise<boolean> {
  const until = performance.now() + Math.min(SETTLE_MS, visit.remainingMs() / 3);
  const isWhole = await waitForRequestsAndImages(visit, isScrolled, until);
  await waitForAnimations(visit);
  return isWhole;
}

async function waitForRequestsAndImages(visit: Visit, isScrolled: boolean, until: number): Promise<boolean> {
  const { activity } = visit;
  if (!activity?.hasActed) return true;
  activity.awaitAll();
  return endsInTime(
    poll(visit, { until, message: 'the requests' }, async () => {
      if (
        !activity.isOver() ||
        !(await inPage(visit, areImagesReady, { selector: ':root', all: isScrolled }))
      )
        return false;
      // The responses may have caused further requests.
      return activity.isOver();
    }),
  );
}

/** Waits, for a bounded time, for the images in an element. */
export async function waitForImages(visit: Visit, selector: string): Promise<void> {
  const until = performance.now() + Math.min(SETTLE_MS, visit.remainingMs() / 3);
  await endsInTime(
    poll(visit, { until, message: 'the pictures' }, () =>
      inPage(visit, areImagesReady, { selector, all: true }),
    ),
  );
}

interface ImagesToCheck {
  readonly selector: string;
  /** Whether to wait for fonts and for images that have not loaded yet. */
  readonly all: boolean;
}

/**
 * Runs in the page. Whether the images in an element have loaded and are decoded: Chromium may take a screenshot before a large
 * image is decoded.
 */
async function areImagesReady({ selector, all }: ImagesToCheck, safe: SafeAccess): Promise<boolean> {
  const page = safe(document);
  const images = [...page.querySelectorAll(selector)].flatMap((element) =>
    element instanceof HTMLImageElement ? [element] : [...safe(element).querySelectorAll('img')],
  );
  if (all) for (const img of images) if (img.loading === 'lazy') img.loading = 'eager';
  if (all && (page.fonts.status !== 'loaded' || images.some((img) => !img.complete))) return false;
  const loaded = images.filter((img) => img.complete);
  await Promise.all(loaded.map((img) => img.decode().catch(() => undefined)));
  return true;
}

/** Waits, for a bounded time, for short animations and transitions, and for those that follow them. */
async function waitForAnimations(visit: Visit): Promise<void> {
  const until = performance.now() + Math.min(MOTION_MS, visit.remainingMs() / 3);
  const look = (): Promise<Motion> =>
    withDeadline(
      { until, message: 'the page is busy' },
      inPage(visit, motionOf, Math.max(0, until - performance.now())),
    );
  const untilStill = async (): Promise<void> => {
    for (;;) {
      const { leftMs, hasDrawings } = await look();
      visit.hasDrawings = hasDrawings;
      if (leftMs === 0) return;
      await delay(leftMs + FRAME_MS, undefined, { signal: visit.signal });
    }
  };
  await endsInTime(untilStill());
}

interface Motion {
  /** Time until the last short animation ends; 0 when there is none. */
  readonly leftMs: number;
  readonly hasDrawings: boolean;
}

/**
 * Runs in the page. Only animations that end within `withinMs` count, so not those that are endless, paused or driven by the
 * scroll position.
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
    // A smaller one is an icon.
    return width >= 100 && Math.min(bottom, window.innerHeight) - Math.max(top, 0) >= 50;
  });
  return { leftMs, hasDrawings };
}
