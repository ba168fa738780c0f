import { AppError } from '@app/kernel';
import type { Visit } from './family.js';

/** Chromium draws every row right up to here, and repeats or drops rows from about 118 Mpx on. */
export const MAX_PIXELS = 100_000_000;
/** Longest side of an image in device px; past about 200,000 Chromium refuses the page. */
export const MAX_SIDE = 100_000;

/** A part of the page in CSS px, from its top left corner. */
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
  /** What the window shows of it. */
  readonly windowWidth: number;
  readonly windowHeight: number;
  /** How far a mobile page without a viewport of its own is zoomed out to fit the window; else 1. */
  readonly zoom: number;
}

/** What is to be photographed. */
export interface Frame {
  /** Absent: what the window shows. */
  readonly clip?: Box & { readonly scale: number };
  /** Size of the image that must come of it, in device px. */
  readonly width: number;
  readonly height: number;
  readonly truncated: boolean;
}

export async function measurePage(visit: Visit): Promise<PageSize> {
  const { cssContentSize, cssVisualViewport } = await visit.cdp.send('Page.getLayoutMetrics');
  return {
    width: Math.ceil(cssContentSize.width),
    height: Math.ceil(cssContentSize.height),
    windowWidth: Math.round(cssVisualViewport.clientWidth),
    windowHeight: Math.round(cssVisualViewport.clientHeight),
    zoom: cssVisualViewport.scale,
  };
}

/** Device px to one CSS px of the window. */
export function densityOf(visit: Visit): number {
  return visit.page.viewport()?.deviceScaleFactor || 1;
}

/** What the window shows. */
export function windowFrame(visit: Visit, maxSide: number): Frame {
  const { width, height } = visit.page.viewport() ?? { width: 0, height: 0 };
  const density = densityOf(visit);
  assertFits(width * density, height * density, maxSide);
  return { width: Math.round(width * density), height: Math.round(height * density), truncated: false };
}

/** The frame of exactly this part of the page. */
export function boxFrame(box: Box, { zoom, density, maxSide }: Lens): Frame {
  const scale = zoom * density;
  assertFits(box.width * scale, box.height * scale, maxSide);
  return {
    clip: { ...box, scale: zoom },
    width: Math.round(box.width * scale),
    height: Math.round(box.height * scale),
    truncated: false,
  };
}

/** The frame of this part of the page, cut at the bottom to what an image can hold; a cut is told. */
export function cutFrame(box: Box, lens: Lens): Frame {
  const scale = lens.zoom * lens.density;
  const fitting = Math.min(lens.maxSide, MAX_PIXELS / (box.width * scale)) / scale;
  const height = Math.max(1, Math.min(box.height, Math.floor(fitting)));
  return { ...boxFrame({ ...box, height }, lens), truncated: height < box.height };
}

export interface Lens {
  readonly zoom: number;
  readonly density: number;
  /** Longest side the format takes, in device px. */
  readonly maxSide: number;
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
