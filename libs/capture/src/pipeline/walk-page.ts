import { setTimeout as delay } from 'node:timers/promises';
import type { Visit } from './family.js';
import { inPage, type Bare } from './in-page.js';
import { poll, WaitRanOutError } from './patience.js';

/** A feed without end is walked this long at most. */
const WALK_MS = 8_000;
/** Time for a page to notice that it was scrolled: an observer is told with the next frame, some 16 ms on. */
const STEP_MS = 50;
const IMAGES_MS = 5_000;

/**
 * Scrolls down the page, a window at a time, until its end, `maxHeight` CSS px or the time is reached, so that what
 * loads only when it is seen is there; then goes back and waits for the pictures, all in bounded time.
 *
 * @param backTo Where to go back to: the top, or where the page was.
 */
export async function walkPage(visit: Visit, maxHeight: number, backTo: 'top' | 'start'): Promise<void> {
  const until = performance.now() + Math.min(WALK_MS, visit.remainingMs() / 3);
  const start = await inPage(visit, step, null);
  let { end } = start;
  for (let y = start.window; y < Math.min(end, maxHeight) && performance.now() < until; y += start.window) {
    await inPage(visit, step, y);
    await delay(STEP_MS, undefined, { signal: visit.signal });
    // Only now: a page may have grown for having been scrolled.
    ({ end } = await inPage(visit, step, null));
  }
  await inPage(visit, step, backTo === 'top' ? 0 : start.at);
  await imagesLoaded(visit, 'body');
}

/** Waits, in bounded time, for the pictures within an element; one that does not come does not stop the capture. */
export async function imagesLoaded(visit: Visit, selector: string): Promise<void> {
  const until = performance.now() + Math.min(IMAGES_MS, visit.remainingMs() / 3);
  try {
    await poll(visit, { until, otherwise: 'the pictures' }, () => inPage(visit, imagesAreDecoded, selector));
  } catch (error) {
    if (!(error instanceof WaitRanOutError)) throw error;
  }
}

/** Runs in the page: goes there, if anywhere, and makes lazy things load at once. */
function step(y: number | null, bare: Bare): { at: number; end: number; window: number } {
  const at = window.scrollY;
  const page = bare(document);
  for (const lazy of page.querySelectorAll<HTMLImageElement | HTMLIFrameElement>('[loading=lazy]')) {
    lazy.loading = 'eager';
  }
  if (y !== null) window.scrollTo({ top: y, behavior: 'instant' });
  const root = (page.scrollingElement ?? page.documentElement) as Element | null;
  return { at, end: root ? bare(root).scrollHeight : 0, window: Math.max(100, window.innerHeight) };
}

/** Runs in the page. Decoding comes after loading; Chromium may photograph a large picture before it. */
async function imagesAreDecoded(selector: string, bare: Bare): Promise<boolean> {
  const images = [...bare(document).querySelectorAll(selector)].flatMap((element) =>
    element instanceof HTMLImageElement ? [element] : [...bare(element).querySelectorAll('img')],
  );
  if (images.some((img) => !img.complete)) return false;
  await Promise.all(images.map((img) => img.decode().catch(() => undefined)));
  return true;
}
