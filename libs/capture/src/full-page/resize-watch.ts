import type { Visit } from '../pipeline/family.js';
import { inDocumentsToCome } from '../pipeline/in-page.js';

/** What runs in a document when its window is resized, in the isolated world, under a symbol: an element's name could shadow a string. */
export interface ResizeWorld {
  [key: symbol]: (() => void) | undefined;
}

/**
 * Lets the isolated world of each document learn of a resized window before the scripts of the page, which it can only do if its listener
 * is the first. To be called before navigation.
 *
 * Chromium makes the window 1 × 1 px for a moment, now and then, when it takes a picture of what is beyond the window. The scripts of the
 * page learn neither of that nor of the return to the size that they know: they would leave the layout of a narrow window in the picture.
 */
export async function watchResizes(visit: Visit): Promise<void> {
  await inDocumentsToCome(visit, { run: watch, uses: [] });
}

/** Runs in the page. Lets only resizes through to a size that the page does not know. No window of a capture is narrower than 16 px. */
function watch(): void {
  const sizeOf = (view: Window | VisualViewport): string =>
    view instanceof VisualViewport
      ? `${view.width} ${view.height} ${view.scale}`
      : `${view.innerWidth} ${view.innerHeight}`;
  for (const view of [window, window.visualViewport]) {
    let known = view && sizeOf(view);
    view?.addEventListener('resize', (event) => {
      const size = sizeOf(view);
      const isNews = size !== known && window.innerWidth >= 16;
      if (!isNews) {
        event.stopImmediatePropagation();
        return;
      }
      known = size;
      (globalThis as unknown as ResizeWorld)[Symbol.for('on resize')]?.();
    });
  }
}
