import { Choice, Flag, Whole } from '@app/kernel';
import { FORMAT_NAMES, type Format } from '../formats.js';
import { defineFamily, type Visit } from '../pipeline/family.js';
import { MAX_SIDE, type Frame } from '../pipeline/frame.js';

export class ImageOptions {
  @Choice(FORMAT_NAMES, 'Format of the file.')
  format: Format = 'png';

  @Whole('Quality of a lossy image.', { min: 1, max: 100, formats: ['jpeg', 'webp'] })
  quality = 80;

  @Flag('Makes the background transparent where the page has none of its own.', {
    formats: ['png', 'webp'],
  })
  omit_background = false;

  @Flag('Compresses the image faster, into a larger file.', { formats: ['png'] })
  optimize_for_speed = false;
}

type ImageFormat = Exclude<Format, 'pdf'>;

/** Options of a capture that is a picture. */
export type PictureOptions = ImageOptions & { readonly format: ImageFormat };

export function isPicture<Options extends ImageOptions>(
  options: Options,
): options is Options & PictureOptions {
  return options.format !== 'pdf';
}

/** Longest side in device px that the format takes; past it Chromium hands back nothing, without an error. */
export const MAX_SIDES = {
  png: MAX_SIDE,
  // The limit of libjpeg, a little under the 16 bits of the format.
  jpeg: 65_500,
  // The 14 bits of the format.
  webp: 16_383,
} as const satisfies Record<ImageFormat, number>;

const TRANSPARENT = { r: 0, g: 0, b: 0, a: 0 };

/**
 * Photographs the frame. What comes back may be empty or of another size when Chromium is short of memory.
 *
 * Not by `page.screenshot()`: one that never comes back, because the page went elsewhere, would block all later ones.
 */
export async function takePicture(visit: Visit, options: PictureOptions, frame: Frame): Promise<Uint8Array> {
  const { cdp } = visit;
  const { format } = options;
  if (options.omit_background && format !== 'jpeg') {
    await cdp.send('Emulation.setDefaultBackgroundColorOverride', { color: TRANSPARENT });
  }
  const { data } = await cdp.send('Page.captureScreenshot', {
    format,
    ...(format !== 'png' && { quality: options.quality }),
    optimizeForSpeed: options.optimize_for_speed,
    ...(frame.clip && { clip: frame.clip, captureBeyondViewport: true }),
  });
  return Buffer.from(data, 'base64');
}

export const image = defineFamily({ name: 'output', doc: 'The format of the file.' }, ImageOptions);
