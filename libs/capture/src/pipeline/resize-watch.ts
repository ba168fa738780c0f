import type { Visit } from './family.js';
import { inDocumentsToCome } from './in-page.js';

/** What runs in a document when its window is resized, in the isolated world, under a symbol: an element's name could shadow a string. */
export interface ResizeWorld {
  [key: symbol]: (() => void) | undefined;
}

/**
 * Lets the isolated world of each document learn of a resized window before the scripts of the page, which it can only do if its listener
 * is the first. To be called before navigation.
 *
 * Chromium makes the window 1 × 1 px for a moment, now and then, when it takes a picture of what is beyond the window. The scripts of the
 * page do not learn of that: they would leave the layout of a narrow window in the picture.
 */
export async function watchResizes(visit: Visit): Promise<void> {
  await inDocumentsToCome(visit, { run: watch, uses: [] });
}

/** Runs in the page. No window of a capture is as narrow. */
function watch(): void {
  const onResize = (event: Event): void => {
    if (window.innerWidth < 16) event.stopImmediatePropagation();
    else (globalThis as unknown as ResizeWorld)[Symbol.for('on resize')]?.();
  };
  window.addEventListener('resize', onResize);
  window.visualViewport?.addEventListener('resize', onResize);
}
