import { DEFAULT_QUALITY } from './default-quality.js';
import type { PictureSize } from './picture-fit.js';

/** Longest side that the encoder takes. */
export const MAX_AVIF_SIDE = 16_384;

/**
 * The encoder takes 33 bytes of memory per pixel with all colours, and 20 with half of their resolution, which is that of every
 * JPEG and lossy WebP; transparency takes three quarters more. With the library and the picture its process takes at most
 * 600 MB, of the 1 GiB that a worker has besides its browsers. The highest image at the usual width, 1,280 × 16,384 px, is
 * within the limit.
 */
const MAX_PIXELS = 21_000_000;
const MAX_FULL_COLOUR_PIXELS = 12_000_000;
const TRANSPARENT_PIXEL = 1.75;

/** Effort 4 takes five times as long, for 0.9 of the bytes at the same quality; effort 0 is as bad as JPEG. */
const EFFORT = 2;

/** What keeps an AVIF from being made of so many pixels, as the end of a sentence; undefined when nothing does. */
function avifExcess(size: PictureSize, isTransparent: boolean): string | undefined {
  if (costOf(size, isTransparent) <= MAX_PIXELS) return undefined;
  const megapixels = MAX_PIXELS / (isTransparent ? TRANSPARENT_PIXEL : 1) / 1e6;
  return `an avif has at most ${megapixels} megapixels${isTransparent ? ' with omit_background' : ''}`;
}

/** What keeps a file of a format from being made of so many pixels, as the end of a sentence; undefined when nothing does. */
export function encodingExcess(
  format: string,
  size: PictureSize,
  isTransparent: boolean,
): string | undefined {
  return format === 'avif' ? avifExcess(size, isTransparent) : undefined;
}

/** The options of the encoder. */
export function avifSettings(
  size: PictureSize,
  {
    quality = DEFAULT_QUALITY.avif,
    isTransparent,
  }: { readonly quality?: number; readonly isTransparent: boolean },
) {
  const isSmall = costOf(size, isTransparent) <= MAX_FULL_COLOUR_PIXELS;
  return { quality, effort: EFFORT, chromaSubsampling: isSmall ? '4:4:4' : '4:2:0' };
}

function costOf({ width, height }: PictureSize, isTransparent: boolean): number {
  return width * height * (isTransparent ? TRANSPARENT_PIXEL : 1);
}
