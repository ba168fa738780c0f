import { AppError } from '@app/kernel';
import type { FileFacts } from '../record/facts.js';
import type { ImageOptions } from '../options/image.js';
import type { Visit } from '../pipeline/family.js';
import type { FinishedFile } from '../pipeline/format.js';
import { encodingExcess, avifSettings } from '../options/avif-limits.js';
import { DEFAULT_QUALITY } from '../options/default-quality.js';
import { encodePicture, type Recipe } from './encode-picture.js';
import { boxInFile, fitOf, type PictureFit, type PictureSize } from '../options/picture-fit.js';

/** A file that is made of a PNG of the browser. */
export interface ScaledFile {
  readonly format: Recipe['format'];
  /** Longest side of the format in px. */
  readonly maxSide: number;
}

/** A PNG of the browser with its facts, and the file that is made of it. */
export interface DrawnPicture {
  readonly file: ScaledFile;
  readonly picture: Uint8Array;
  readonly facts: FileFacts;
}

/** Compression of a PNG: without `optimize_for_speed` into about as many bytes as Chromium's, or fewer (docs/adr/0028). */
const PNG_LEVELS = { usual: 4, quick: 2 };

/**
 * How a picture of this size becomes the file.
 *
 * @throws AppError `resource_limit` when the file would be larger than its format allows
 */
export function checkedFit(picture: PictureSize, options: ImageOptions, file: ScaledFile): PictureFit {
  const fit = fitOf(picture, options);
  const { width, height } = fit;
  const excess =
    Math.max(width, height) > file.maxSide
      ? `this format takes at most ${file.maxSide} px a side`
      : encodingExcess(file.format, fit, options.omit_background);
  if (!excess) return fit;
  throw new AppError('resource_limit', {
    detail: `The image would have ${width} × ${height} px; ${excess}. Scale it down with image_width, capture less of the page, or choose another format.`,
  });
}

/** Makes the file of a picture, and the facts of the file of those of the picture. */
export async function scalePicture(
  visit: Visit,
  options: ImageOptions,
  { file, picture, facts }: DrawnPicture,
): Promise<FinishedFile> {
  const size = { width: facts.width ?? 0, height: facts.height ?? 0 };
  const fit = checkedFit(size, options, file);
  const isTransparent = options.omit_background;
  const recipe = { ...fit, format: file.format, settings: settingsOf(options, file, fit), isTransparent };
  const bytes = await encodePicture(visit, picture, recipe);
  const { width, height } = fit;
  return { bytes, facts: { ...facts, stable: stableIn(fit, facts.stable), width, height } };
}

/** What is reported about the stability of a picture, with the boxes where the file shows them. */
export function stableIn(fit: PictureFit, stable: FileFacts['stable']): FileFacts['stable'] {
  return (
    stable && {
      ...stable,
      unstable_boxes: stable.unstable_boxes.flatMap((box) => boxInFile(fit, box) ?? []),
    }
  );
}

/** The options of the encoder of a file. */
export function settingsOf(
  options: ImageOptions,
  { format }: ScaledFile,
  size: PictureSize,
): Recipe['settings'] {
  const { quality, omit_background: isTransparent, optimize_for_speed: isQuick } = options;
  switch (format) {
    case 'png':
      return { compressionLevel: isQuick ? PNG_LEVELS.quick : PNG_LEVELS.usual };
    case 'avif':
      return avifSettings(size, { quality, isTransparent });
    case 'jpeg':
    case 'webp':
      return { quality: quality ?? DEFAULT_QUALITY[format] };
    default:
      return format satisfies never;
  }
}
