import { withTimeout } from '@app/kernel';
import type { Format } from '../formats/index.js';
import type { CaptureOptions } from '../options/index.js';
import { MAX_PIXELS } from '../pipeline/capture-area.js';
import type { Visit } from '../pipeline/family.js';
import type { PageSigns } from './page-signs.js';
import { uniformColour } from './uniform-picture.js';

/** Maximum time for the picture of the window that shows whether the page is blank. */
const LOOK_MS = 2_000;
/** A larger window is not decoded for this. */
const MAX_DECODED_PIXELS = MAX_PIXELS / 4;

/**
 * What shows that the page is blank, or undefined. A picture of the window decides, which is taken only when the page
 * seems to draw nothing, or when the file is about as small as that of a single colour.
 */
export async function blankEvidence(
  visit: Visit,
  options: CaptureOptions,
  { page, bytes }: { page: PageSigns; bytes: Uint8Array },
): Promise<string[] | undefined> {
  const isEmpty = page.drawn !== 'window';
  const viewport = visit.page.viewport();
  const scale = viewport?.deviceScaleFactor ?? 1;
  const pixels = (viewport?.width ?? 0) * (viewport?.height ?? 0) * scale * scale;
  const isOfWindow = showsWindow(options);
  const uniformBytes = UNIFORM_BYTES[options.format]?.(pixels, options.optimize_for_speed) ?? 0;
  if (!isEmpty && !(isOfWindow && bytes.length <= uniformBytes)) return undefined;
  // The file shows more than the window.
  if (page.drawn === 'beyond' && !isOfWindow) return undefined;
  const nothing = isEmpty ? ['nothing is drawn'] : [];
  try {
    if (pixels > MAX_DECODED_PIXELS) return isEmpty ? nothing : undefined;
    const colour = await withTimeout(colourOfWindow(visit), LOOK_MS, 'looking at the page');
    return colour === undefined ? undefined : [...nothing, `picture: one colour (#${colour})`];
  } catch {
    return isEmpty ? nothing : undefined;
  }
}

/** Whether the file is a picture of what the window shows. */
function showsWindow({ format, full_page, selector, clip_x }: CaptureOptions): boolean {
  const isPicture = format === 'png' || format === 'jpeg' || format === 'webp';
  return isPicture && !full_page && selector === undefined && clip_x === undefined;
}

/**
 * Bytes that a picture of one colour has at most, measured for 0.1 to 9 Mpx. A picture of 1280 × 800 px with a word in it
 * has more, so that hardly any page with content is looked at twice.
 */
const UNIFORM_BYTES: Partial<Record<Format, (pixels: number, isQuick: boolean) => number>> = {
  png: (pixels, isQuick) => 600 + pixels / (isQuick ? 54.5 : 217),
  jpeg: (pixels) => 800 + pixels / 165,
  webp: (pixels) => 600 + pixels / 500,
};

async function colourOfWindow({ cdp }: Visit): Promise<string | undefined> {
  const { data } = await cdp.send('Page.captureScreenshot', { format: 'png', optimizeForSpeed: true });
  return uniformColour(Buffer.from(data, 'base64'));
}
