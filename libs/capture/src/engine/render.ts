import { imageSize } from 'image-size';
import { AppError } from '@app/kernel';
import { frameOf } from '../options/framing.js';
import { isPicture, MAX_SIDES, takePicture, type PictureOptions } from '../options/image.js';
import type { CaptureOptions } from '../options/index.js';
import { countPages } from '../options/pdf-page-count.js';
import { printPdf } from '../options/pdf.js';
import type { Visit } from '../pipeline/family.js';
import { measurePage, type Frame } from '../pipeline/frame.js';
import { stillPicture } from '../pipeline/still-picture.js';

/**
 * The page as a file; its facts are filled in.
 *
 * @throws AppError `resource_limit` for more than `maxBytes`
 */
export async function render(visit: Visit, options: CaptureOptions, maxBytes: number): Promise<Uint8Array> {
  // A record shows it even if no file comes of the page.
  const measuring = measurePage(visit).then((page) => {
    visit.facts.pageHeight = page.height;
    return page;
  });
  // Awaited below; until then a failure of it must not pass for one that nobody handles.
  measuring.catch(() => undefined);
  const bytes = isPicture(options)
    ? await photograph(visit, options, measuring)
    : await print(visit, options, maxBytes);
  if (bytes.length > maxBytes) {
    throw new AppError('resource_limit', {
      detail: `The file has ${bytes.length} bytes; at most ${maxBytes} are kept.`,
    });
  }
  await measuring;
  return bytes;
}

async function print(visit: Visit, options: CaptureOptions, maxBytes: number): Promise<Uint8Array> {
  const pdf = await printPdf(visit, options, maxBytes);
  visit.facts.pages = countPages(pdf);
  return pdf;
}

async function photograph(
  visit: Visit,
  options: CaptureOptions & PictureOptions,
  page: ReturnType<typeof measurePage>,
): Promise<Uint8Array> {
  const frame = await frameOf(visit, options, { page, maxSide: MAX_SIDES[options.format] });
  const { bytes, width, height } =
    (await trial(visit, options, frame)) ?? (await trial(visit, options, frame)) ?? fail(frame);
  Object.assign(visit.facts, { width, height, truncated: frame.truncated });
  return bytes;
}

/** Half a device px may be rounded either way, at both edges. */
const TOLERANCE_PX = 2;

/** A picture of the frame, or undefined when what Chromium drew is not one: it is known to say nothing of it. */
async function trial(
  visit: Visit,
  options: PictureOptions,
  frame: Frame,
): Promise<{ bytes: Uint8Array; width: number; height: number } | undefined> {
  const bytes = await stillPicture(visit, () => takePicture(visit, options, frame));
  if (bytes.length === 0) return undefined;
  const { width, height } = imageSize(bytes);
  const isWhole =
    Math.abs(width - frame.width) <= TOLERANCE_PX && Math.abs(height - frame.height) <= TOLERANCE_PX;
  return isWhole ? { bytes, width, height } : undefined;
}

function fail(frame: Frame): never {
  throw new AppError('resource_limit', {
    detail: `The browser could not draw an image of ${frame.width} × ${frame.height} px.`,
  });
}
