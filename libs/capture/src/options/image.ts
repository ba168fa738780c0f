import { Choice, Flag, Whole } from '@app/kernel';
import { FORMAT_NAMES, type Format } from '../formats.js';
import { defineFamily, type Visit } from '../pipeline/family.js';
import { MAX_SIDE, type Frame } from '../pipeline/frame.js';

export class ImageOptions {
  @Choice(FORMAT_NAMES, 'What to make of the page.')
  format: Format = 'png';

  @Whole('Quality of a lossy image.', { min: 1, max: 100, formats: ['jpeg', 'webp'] })
  quality = 80;

  @Flag('Leaves out the white that a page without a background of its own is drawn on.', {
    formats: ['png', 'webp'],
  })
  omit_background = false;

  @Flag('Trades size for speed when the image is written.', { formats: ['png'] })
  optimize_for_speed = false;
}

/** The WebP format has 14 bits for a side; past it Chromium hands back nothing, without an error. */
const MAX_WEBP_SIDE = 16_383;

/** Longest side in device px that the format takes. */
export function maxSideOf(format: Format): number {
  return format === 'webp' ? MAX_WEBP_SIDE : MAX_SIDE;
}

/** Photographs the frame. What comes back may be empty or of another size when Chromium is short of memory. */
export async function takePicture(visit: Visit, options: ImageOptions, frame: Frame): Promise<Uint8Array> {
  const { format } = options;
  if (format === 'pdf') throw new TypeError('A PDF is printed, not photographed.');
  return visit.page.screenshot({
    type: format,
    ...(format !== 'png' && { quality: options.quality }),
    omitBackground: options.omit_background,
    optimizeForSpeed: options.optimize_for_speed,
    ...(frame.clip && { clip: frame.clip, captureBeyondViewport: true }),
  });
}

export const image = defineFamily('output', 'What the capture is written as.', ImageOptions);
