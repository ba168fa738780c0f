import { AppError } from '@app/kernel';
import type { Visit } from '../pipeline/family.js';
import type { Box } from '../pipeline/capture-area.js';
import { inPage, PageScriptError, type SafeAccess } from '../pipeline/in-page.js';
import { waitForImages } from '../pipeline/settle-page.js';

/**
 * The box of the first element that matches a selector, extended by `padding` CSS px up to the edges of the page. Lazy
 * images in it are loaded first.
 *
 * @throws AppError `selector_not_found` when nothing matches, or the element has no size
 */
export async function locateElement(visit: Visit, selector: string, padding: number): Promise<Box> {
  let found = await find(visit, selector, padding);
  if (typeof found === 'object' && found.isLoading) {
    await waitForImages(visit, selector);
    found = await find(visit, selector, padding);
  }
  if (typeof found === 'object') return found.box;
  throw new AppError('selector_not_found', { detail: `selector (${selector}) ${found}.` });
}

async function find(visit: Visit, selector: string, padding: number): Promise<Found | string> {
  try {
    return await inPage(visit, findElement, { selector, padding });
  } catch (error) {
    if (!(error instanceof PageScriptError)) throw error;
    return 'is not a selector that the browser knows';
  }
}

interface Found {
  readonly box: Box;
  readonly isLoading: boolean;
}

/** Runs in the page. Returns the box of the element, or why there is none. */
function findElement(
  { selector, padding }: { selector: string; padding: number },
  safe: SafeAccess,
): Found | string {
  const found = safe(document).querySelector(selector);
  if (!found) return 'matches nothing on the page';
  const element = safe(found);
  // Scrolling into view moves the scroll containers around the element; the page itself is scrolled back.
  const { scrollX, scrollY } = window;
  element.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
  const images = [...element.querySelectorAll('img'), ...(found instanceof HTMLImageElement ? [found] : [])];
  for (const img of images) img.loading = 'eager';
  window.scrollTo({ left: scrollX, top: scrollY, behavior: 'instant' });

  const rect = element.getBoundingClientRect();
  if (rect.width === 0 || rect.height === 0) return 'matches an element without a size';
  const root = safe(safe(document).documentElement);
  const left = Math.max(0, Math.round(rect.left + window.scrollX) - padding);
  const top = Math.max(0, Math.round(rect.top + window.scrollY) - padding);
  const right = Math.min(
    Math.max(root.scrollWidth, window.innerWidth),
    Math.round(rect.right + window.scrollX) + padding,
  );
  const bottom = Math.min(
    Math.max(root.scrollHeight, window.innerHeight),
    Math.round(rect.bottom + window.scrollY) + padding,
  );
  if (right <= left || bottom <= top) return 'matches an element that lies outside the page';
  return {
    box: { x: left, y: top, width: right - left, height: bottom - top },
    isLoading: images.some((img) => !img.complete),
  };
}
