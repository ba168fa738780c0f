import { FORMATS, isPicture, type Format } from '@app/capture';

/** The largest thumbnail in px: the shape of a usual window. */
export const THUMBNAIL = { width: 480, height: 300 } as const;

/** As many pixels as a picture of a capture has at most. */
const MAX_PIXELS = 100_000_000;
/** A picture of these formats is decoded as a whole, in 8 and 18 bytes a pixel; of the others only the rows at its top are. */
const MAX_PIXELS_AS_A_WHOLE: Partial<Record<Format, number>> = { webp: 50_000_000, avif: 50_000_000 };

/** Whether the memory that the thumbnail of a picture takes grows with its height. */
export function isDecodedAsAWhole(format: Format): boolean {
  return format in MAX_PIXELS_AS_A_WHOLE;
}

const MAX_SECONDS = 10;
const QUALITY = 75;

/** The picture has more pixels than are worth the memory. */
export class TooManyPixelsError extends Error {
  override readonly name = 'TooManyPixelsError';
}

/**
 * Makes a WebP of the top of a picture; or, for messages, whose readers take no WebP, a JPEG of the part around a distance from
 * the top. It is never larger than the picture. The library, which works in threads of its own, is loaded here, because most
 * processes need none.
 *
 * @param around in px from the top
 * @throws TooManyPixelsError, and errors of the library for what is not a picture of this format
 */
export async function makeThumbnail(picture: Uint8Array, format: Format, around?: number): Promise<Buffer> {
  const { default: sharp } = await import('sharp');
  // It would keep pictures in memory, and a thread for each processor would take the time of the requests.
  sharp.cache(false);
  sharp.concurrency(1);
  const input = { limitInputPixels: MAX_PIXELS, sequentialRead: true, failOn: 'error' } as const;
  // Read without the limit, so that what exceeds it is told apart from what is no picture.
  const { width, height, mediaType } = await sharp(picture, { limitInputPixels: false }).metadata();
  if (!isPicture(format) || mediaType !== FORMATS[format].contentType) {
    throw new TypeError(`This is not a picture of the format ${format}`);
  }
  if (width * height > (MAX_PIXELS_AS_A_WHOLE[format] ?? MAX_PIXELS)) throw new TooManyPixelsError();
  const part = Math.min(height, Math.max(1, Math.round((width * THUMBNAIL.height) / THUMBNAIL.width)));
  const top = Math.max(0, Math.min(height - part, Math.round((around ?? 0) - part / 2)));
  const small = sharp(picture, input)
    .timeout({ seconds: MAX_SECONDS })
    .extract({ left: 0, top, width, height: part })
    .resize({ ...THUMBNAIL, fit: 'inside', withoutEnlargement: true });
  if (around === undefined) return small.webp({ quality: QUALITY, effort: 3 }).toBuffer();
  return small.flatten({ background: 'white' }).jpeg({ quality: QUALITY }).toBuffer();
}
