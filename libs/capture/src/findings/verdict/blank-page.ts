import { withTimeout } from '@app/kernel';
import type { Format } from '../../formats/index.js';
import type { FramingOptions } from '../../options/framing.js';
import { MAX_PIXELS } from '../../pipeline/capture-area.js';
import type { Visit } from '../../pipeline/family.js';
import type { PageSigns } from './page-signs.js';
import type { PageSurface } from './page-surface.js';

/** Maximum time for the picture of the window that shows whether the page is blank. */
const LOOK_MS = 2_000;
/** A larger picture is not decoded. */
const MAX_DECODED_PIXELS = MAX_PIXELS / 4;

/**
 * Bytes that a picture of one colour has at most, measured for 0.1 to 9 Mpx; hardly any page with a text on it has fewer. A PNG
 * is decoded below this size, the others cost one more picture.
 */
const UNIFORM_BYTES: Partial<Record<Format, (pixels: number, isQuick: boolean) => number>> = {
  png: (pixels, isQuick) => 1_000 + pixels / (isQuick ? 35 : 120),
  jpeg: (pixels) => 800 + pixels / 165,
  webp: (pixels) => 600 + pixels / 500,
};

/** What the browser drew; for a PDF or a text, that. */
export interface DrawnPicture {
  readonly bytes: Uint8Array;
  /** Size in px; null when it is no picture. */
  readonly width: number | null;
  readonly height: number | null;
  readonly format: Format;
  /** Whether it is a PNG of `optimizeForSpeed`. */
  readonly isQuick: boolean;
}

/** The colours of a window on which nothing is drawn: white, dark and none. */
const DEFAULT_COLOURS: ReadonlySet<string> = new Set([
  'ffffff',
  'ffffffff',
  '121212',
  '121212ff',
  '00000000',
]);

/** What shows that the page is blank, or undefined: its picture has one colour, which the page did not mean to show. */
export async function blankEvidence(
  visit: Visit,
  options: FramingOptions,
  { page, picture }: { page: PageSigns; picture: DrawnPicture },
): Promise<string[] | undefined> {
  const { selector, clip_x: clip } = options;
  const { bytes, format, isQuick, width, height } = picture;
  const uniformBytes = UNIFORM_BYTES[format];
  const isOfPage = uniformBytes !== undefined && selector === undefined && clip === undefined;
  if (isOfPage && bytes.length > uniformBytes((width ?? 0) * (height ?? 0), isQuick)) {
    return undefined;
  }
  const isEmpty = page.drawn === 'nothing' || (page.drawn === 'beyond' && isOfPage && !options.full_page);
  // A PDF, a text, a part of the page or a page that is higher than the window: the file itself does not show it.
  if (!isEmpty && (page.drawn === 'beyond' || !isOfPage)) return undefined;
  const nothing = isEmpty ? ['nothing is drawn'] : [];
  try {
    const look = isOfPage && format === 'png' ? colourOfPng(picture) : colourOfWindow(visit);
    const colour = await withTimeout(look, LOOK_MS, 'looking at the page');
    if (colour === undefined || (page.surface && isMeant(page.surface, colour))) return undefined;
    return [...nothing, `picture: one colour (#${colour})`, ...reasonsAgainst(page.surface, colour)];
  } catch {
    return isEmpty ? nothing : undefined;
  }
}

/**
 * Whether a window of one colour, which shows no text and no control, is all that the page was to show. A picture or a canvas
 * shows what is in it. A background does so only where nothing else may have been to come: an app that did not start leaves
 * its background behind. What is white, or has the colour of an empty dark page, cannot be distinguished from an empty page.
 */
function isMeant({ hasPicture, hasUnknown, colours, isAll }: PageSurface, colour: string): boolean {
  if (DEFAULT_COLOURS.has(colour)) return false;
  return hasPicture || (colours.some((each) => isSame(each, colour)) ? isAll : hasUnknown);
}

function reasonsAgainst(surface: PageSurface | null, colour: string): string[] {
  if (surface === null) return ['text: in the colour of the page, or covered'];
  return DEFAULT_COLOURS.has(colour) || surface.isAll
    ? []
    : ['more was to come: scripts, hidden text or media'];
}

/** Whether a colour of CSS (`rgb(0, 170, 51)`) is one in hexadecimal. */
function isSame(css: string, hexadecimal: string): boolean {
  const parts = /^rgb\((\d+), (\d+), (\d+)\)$/.exec(css)?.slice(1) ?? [];
  return parts.map((part) => Number(part).toString(16).padStart(2, '0')).join('') === hexadecimal.slice(0, 6);
}

async function colourOfPng({ bytes, width, height }: DrawnPicture): Promise<string | undefined> {
  assertDecodable((width ?? 0) * (height ?? 0));
  return uniformColour(bytes);
}

async function colourOfWindow({ cdp, viewport }: Visit): Promise<string | undefined> {
  const { width, height, deviceScaleFactor: scale } = viewport;
  assertDecodable(width * height * scale * scale);
  const { data } = await cdp.send('Page.captureScreenshot', { format: 'png', optimizeForSpeed: true });
  return uniformColour(Buffer.from(data, 'base64'));
}

function assertDecodable(pixels: number): void {
  if (pixels > MAX_DECODED_PIXELS) throw new RangeError('The picture is too large to be looked at.');
}

/**
 * The colour of a picture whose pixels all have the same one, in hexadecimal (`ffffff`, or `ffffffff` with its opacity); undefined
 * when they differ. The decoder is loaded here, because the files of most captures need none.
 */
async function uniformColour(picture: Uint8Array): Promise<string | undefined> {
  const { default: sharp } = await import('sharp');
  const decoding = sharp(picture, { limitInputPixels: false }).raw();
  const { data, info } = await decoding.toBuffer({ resolveWithObject: true });
  // Every pixel equals the one before it.
  const isUniform = data.subarray(info.channels).equals(data.subarray(0, data.length - info.channels));
  return isUniform ? data.toString('hex', 0, info.channels) : undefined;
}
