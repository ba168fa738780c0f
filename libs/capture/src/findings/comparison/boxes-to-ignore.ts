import { AppError } from '@app/kernel';
import type { FileFacts } from '../../record/facts.js';
import type { PictureBox } from '../../record/picture-box.js';
import { boxInFile, fitOf, isScaled, type Scaling } from '../../options/picture-fit.js';
import { densityOf, type CaptureArea } from '../../pipeline/capture-area.js';
import type { Visit } from '../../pipeline/family.js';
import { inPage, PageScriptError, type SafeAccess } from '../../pipeline/in-page.js';

/** Boxes that are reported from the page. A list of advertisements has dozens. */
const MAX_BOXES = 500;
/** Elements that are measured. */
const MAX_ELEMENTS = 5_000;
/** Smooth edges show an element up to 1 px beyond its box. */
const MARGIN_PX = 1;

type Options = Scaling & { readonly compare_ignore_selectors: readonly string[] };

/** A picture that the browser has drawn: the part of the page that it shows, and its size in px. */
export interface PictureOfPage {
  readonly area: CaptureArea | undefined;
  readonly facts: Pick<FileFacts, 'width' | 'height'>;
}

/**
 * The boxes, in px of the file, of all elements that match the selectors, at most 500. There are none in files that are no
 * pictures.
 *
 * @throws AppError `selector_not_found` for a selector that the browser does not know
 */
export async function boxesToIgnore(
  visit: Visit,
  options: Options,
  { area, facts: { width, height } }: PictureOfPage,
): Promise<PictureBox[]> {
  const { compare_ignore_selectors: selectors } = options;
  if (selectors.length === 0 || !area || width === null || height === null) return [];
  const argument = { selectors, maxBoxes: MAX_BOXES, maxElements: MAX_ELEMENTS };
  const found = await inPage(visit, measureMatches, argument).catch((error: unknown) => {
    if (error instanceof PageScriptError) return undefined;
    throw error;
  });
  if (found?.unknown !== undefined) {
    const detail = `compare_ignore_selectors: the browser does not know ${found.unknown}`;
    throw new AppError('selector_not_found', { detail });
  }
  if (!found) return [];
  const place = placeOf(found, area, densityOf(visit));
  const fit = isScaled(options) ? fitOf({ width, height }, options) : undefined;
  return found.boxes.flatMap((edges) => {
    const box = toPicture(edges, place, { width, height });
    return (box && fit ? boxInFile(fit, box) : box) ?? [];
  });
}

/** Where the page stands: sizes and positions in CSS px. */
interface Scrolled {
  readonly scrollX: number;
  readonly scrollY: number;
  /** Where the visual viewport stands, which shows a part of a zoomed page. */
  readonly offsetLeft: number;
  readonly offsetTop: number;
  readonly zoom: number;
}

interface Matches extends Scrolled {
  /** Left, top, right and bottom from the top left of the window. */
  readonly boxes: readonly Edges[];
  readonly unknown?: string;
}

type Edges = readonly [number, number, number, number];

/** Runs in the page. */
function measureMatches(
  {
    selectors,
    maxBoxes,
    maxElements,
  }: { selectors: readonly string[]; maxBoxes: number; maxElements: number },
  safe: SafeAccess,
): Matches {
  const boxes: [number, number, number, number][] = [];
  const view = window.visualViewport;
  const place = {
    scrollX: window.scrollX,
    scrollY: window.scrollY,
    offsetLeft: view?.offsetLeft ?? 0,
    offsetTop: view?.offsetTop ?? 0,
    zoom: view?.scale ?? 1,
  };
  let left = maxElements;
  for (const selector of selectors) {
    let found: NodeListOf<Element>;
    try {
      found = safe(document).querySelectorAll(selector);
    } catch {
      return { ...place, boxes: [], unknown: selector };
    }
    for (let i = 0; i < found.length && left > 0 && boxes.length < maxBoxes; i += 1) {
      left -= 1;
      const element = found[i];
      const rect = element && safe(element).getBoundingClientRect();
      if (rect && rect.width > 0 && rect.height > 0)
        boxes.push([rect.left, rect.top, rect.right, rect.bottom]);
    }
  }
  return { ...place, boxes };
}

/** How px of the window become device px of a picture that was not scaled. */
interface Place {
  /** Added to CSS px of the window. */
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

function placeOf(at: Scrolled, { clip }: CaptureArea, density: number): Place {
  return clip
    ? { x: at.scrollX - clip.x, y: at.scrollY - clip.y, scale: clip.scale * density }
    : { x: -at.offsetLeft, y: -at.offsetTop, scale: at.zoom * density };
}

/** The box in whole px of the picture; undefined when it lies outside. */
function toPicture(
  [left, top, right, bottom]: Edges,
  { x, y, scale }: Place,
  { width, height }: { readonly width: number; readonly height: number },
): PictureBox | undefined {
  const within = (px: number, max: number): number => Math.max(0, Math.min(max, px));
  const from = (css: number, max: number): number => within(Math.floor(css * scale) - MARGIN_PX, max);
  const to = (css: number, max: number): number => within(Math.ceil(css * scale) + MARGIN_PX, max);
  const [x1, y1] = [from(left + x, width), from(top + y, height)];
  const [x2, y2] = [to(right + x, width), to(bottom + y, height)];
  return x2 > x1 && y2 > y1 ? { x: x1, y: y1, width: x2 - x1, height: y2 - y1 } : undefined;
}
