import { setTimeout as delay } from 'node:timers/promises';
import type { Visit } from './family.js';
import { inPage, type SafeAccess } from './in-page.js';
import type { Motion } from './page-look.js';
import { MOTION, MOTION_MS } from './page-motion.js';
import { endsInTime, poll, withDeadline } from './wait.js';

/** Maximum wait for the requests that the capture caused. */
const SETTLE_MS = 5_000;
/** A look at the page is not repeated within this time, less than that of a frame. */
const FRESH_MS = 10;
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
  await settleAnimations(visit);
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

/**
 * Brings short animations and transitions, and those that follow them, to their end. It lets their time pass, or waits for a
 * bounded time.
 */
async function settleAnimations(visit: Visit): Promise<void> {
  const until = performance.now() + Math.min(MOTION_MS, visit.remainingMs() / 3);
  const inTime = <T>(work: Promise<T>): Promise<T> =>
    withDeadline({ until, message: 'the page is busy' }, work);
  const look = async (): Promise<Motion> => {
    const withinMs = Math.max(0, until - performance.now());
    return inTime(inPage(visit, MOTION, { withinMs, type: visit.animations?.type ?? null }));
  };
  const untilStill = async (): Promise<void> => {
    for (let motion = motionJustSeen(visit) ?? (await look()); ; motion = await look()) {
      visit.hasDrawings = motion.hasDrawings;
      const outcome = await inTime(endMotion(visit, motion));
      if (outcome === 'settled') {
        visit.hasDrawings = (await look()).hasDrawings;
        return;
      }
      if (outcome === 'none' && motion.leftMs === 0) return;
      if (outcome === 'none') await delay(motion.leftMs + FRAME_MS, undefined, { signal: visit.signal });
      else await waitForLoads(visit, until);
    }
  };
  await endsInTime(untilStill());
}

/** The page has had no time to begin anything since it was looked at. */
function motionJustSeen({ motion, cleaners }: Visit): Motion | undefined {
  const isFresh = motion !== undefined && cleaners.length === 0 && performance.now() - motion.at < FRESH_MS;
  return isFresh ? motion.seen : undefined;
}

/** Waits for what the page has requested while its time passed. */
async function waitForLoads(visit: Visit, until: number): Promise<void> {
  const areOver = (): Promise<boolean> => Promise.resolve(visit.openRequests?.areAwaited() !== true);
  await poll(visit, { until, message: 'the requests' }, areOver);
  await delay(FRAME_MS, undefined, { signal: visit.signal });
}

/**
 * Ends or freezes what moves, as the options ask for. `loading`: while its time passed, the page has requested something.
 */
async function endMotion(
  visit: Visit,
  { isMoving, leftMs, hasFrames }: Motion,
): Promise<'settled' | 'loading' | 'none'> {
  const { animations } = visit;
  if (!animations) return 'none';
  if (animations.mode === 'freeze') {
    await animations.freeze();
    visit.isAsItIs = true;
    return 'settled';
  }
  if (!isMoving && leftMs === 0 && !(hasFrames && (await animations.isFrameMoving()))) return 'none';
  const { end, passedMs, isCoarse } = await animations.finish(hasFrames);
  visit.isAsItIs = end === 'endless' && !isCoarse;
  if (end !== 'loading') return 'settled';
  return passedMs > 0 ? 'loading' : 'none';
}
