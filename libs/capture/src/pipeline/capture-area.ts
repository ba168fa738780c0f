import { AppError } from '@app/kernel';
import type { Visit } from './family.js';

/** Up to this size Chromium draws every row; from about 118 Mpx on it repeats or drops rows. */
export const MAX_PIXELS = 100_000_000;
/** Maximum side of an image in device px. Chromium refuses the page beyond about 200,000. */
export const MAX_SIDE = 100_000;

/** A part of the page in CSS px, measured from its top left corner. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Sizes of the page in CSS px. */
export interface PageSize {
  /** The whole page. */
  readonly width: number;
  readonly height: number;
  /** What the window shows of it, and where that is. */
  readonly windowWidth: number;
  readonly windowHeight: number;
  readonly windowX: number;
  readonly windowY: number;
  /** Below 1 when a mobile page without a `viewport` meta tag is zoomed out to fit the window. */
  readonly zoom: number;
}

/** The part of a page that a picture shows. */
export interface CaptureArea {
  /** Absent: what the window shows. */
  readonly clip?: Box & { readonly scale: number };
  /** Expected size of the picture in device px. */
  readonly width: number;
  readonly height: number;
  readonly truncated: boolean;
}

export interface CaptureScale {
  readonly zoom: number;
  /** Device px per CSS px. */
  readonly density: number;
  /** Maximum side of the format in device px. */
  readonly maxSide: number;
}

export async function measurePage(visit: Visit): Promise<PageSize> {
  const { cssContentSize, cssVisualViewport } = await visit.cdp.send('Page.getLayoutMetrics');
  return {
    width: Math.ceil(cssContentSize.width),
    height: Math.ceil(cssContentSize.height),
    windowWidth: Math.round(cssVisualViewport.clientWidth),
    windowHeight: Math.round(cssVisualViewport.clientHeight),
    windowX: cssVisualViewport.pageX,
    windowY: cssVisualViewport.pageY,
    zoom: cssVisualViewport.scale,
  };
}

/** Whether the window shows all of a box. */
export function isInWindow({ windowX, windowY, windowWidth, windowHeight }: PageSize, box: Box): boolean {
  return (
    box.x >= windowX &&
    box.y >= windowY &&
    box.x + box.width <= windowX + windowWidth &&
    box.y + box.height <= windowY + windowHeight
  );
}

/** Device px per CSS px. */
export function densityOf(visit: Visit): number {
  return visit.viewport.deviceScaleFactor;
}

/** @throws AppError `resource_limit` */
export function windowArea(visit: Visit, maxSide: number): CaptureArea {
  const { width, height } = visit.viewport;
  const density = densityOf(visit);
  assertFits(width * density, height * density, maxSide);
  return { width: Math.round(width * density), height: Math.round(height * density), truncated: false };
}

/**
 * The area of exactly this box.
 *
 * @throws AppError `resource_limit`
 */
export function boxArea(box: Box, { zoom, density, maxSide }: CaptureScale): CaptureArea {
  const scale = zoom * density;
  assertFits(box.width * scale, box.height * scale, maxSide);
  return {
    clip: { ...box, scale: zoom },
    width: Math.round(box.width * scale),
    height: Math.round(box.height * scale),
    truncated: false,
  };
}

/** The area of this box, cut at the bottom to the size that an image can have. */
export function croppedArea(box: Box, scale: CaptureScale): CaptureArea {
  const factor = scale.zoom * scale.density;
  const maxHeight = Math.min(scale.maxSide, MAX_PIXELS / (box.width * factor)) / factor;
  const height = Math.max(1, Math.min(box.height, Math.floor(maxHeight)));
  return { ...boxArea({ ...box, height }, scale), truncated: height < box.height };
}

function assertFits(width: number, height: number, maxSide: number): void {
  const size = `${Math.round(width)} × ${Math.round(height)} px`;
  if (Math.max(width, height) > maxSide) {
    throw new AppError('resource_limit', {
      detail: `The image would have ${size}; this format takes at most ${maxSide} px a side.`,
    });
  }
  if (width * height > MAX_PIXELS) {
    throw new AppError('resource_limit', {
      detail: `The image would have ${size}; an image has at most ${MAX_PIXELS / 1e6} megapixels.`,
    });
  }
}
