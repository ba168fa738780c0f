import type { FileFacts } from '../record/facts.js';
import type { ImageOptions } from '../options/image.js';
import { fitOf, type PictureFit, type PictureSize } from '../options/picture-fit.js';
import type { Slicing } from '../options/slicing.js';
import type { Visit } from '../pipeline/family.js';
import type { FinishedFile, FinishedFiles } from '../pipeline/format.js';
import { decodeRows, encodePicture } from './encode-picture.js';
import { findGap, type DecodedRows } from './row-gaps.js';
import { checkedFit, settingsOf, stableIn, type DrawnPicture, type ScaledFile } from './scaled-picture.js';

/** How far from `slice_height` a gap may be, as a part of it. */
const LEEWAY = 0.1;

/** Pixels that are decoded at a time, unless a slice has more: 24 MB, or 32 of a transparent picture. */
const BAND_PIXELS = 8_000_000;
/** Up to so many are decoded in one go at the end: another band costs the time of decoding everything above it again. */
const LAST_BAND_PIXELS = 12_000_000;

type SliceOptions = ImageOptions & Slicing;

/** A part of the picture as high as it is cut, in its rows. */
interface Slice {
  readonly top: number;
  readonly bottom: number;
}

/** The rows of a slice at most. */
function maxRowsOf({ slice_height: height, slice_at: at }: Slicing): number {
  return at === 'exact' ? height : Math.floor(height * (1 + LEEWAY));
}

/**
 * Checks that each slice of a picture can be a file.
 *
 * @throws AppError `resource_limit`
 */
export function checkSlices(picture: PictureSize, options: SliceOptions, file: ScaledFile): void {
  const { width, height } = fitOf(picture, options);
  const { image_width: _, ...rest } = options;
  checkedFit({ width, height: Math.min(height, maxRowsOf(options)) }, rest, file);
}

/** What slices are cut of. */
interface Cutting extends DrawnPicture {
  /** Once the slices have more bytes together, no more are made: the engine refuses them. */
  readonly maxBytes: number;
}

/**
 * Cuts a picture into slices and makes a file of each. The picture is decoded in bands of some slices, so that the memory that
 * this takes does not depend on its height.
 */
export async function cutSlices(
  visit: Visit,
  options: SliceOptions,
  { file, picture, facts, maxBytes }: Cutting,
): Promise<FinishedFiles> {
  const fit = fitOf({ width: facts.width ?? 0, height: facts.height ?? 0 }, options);
  const files: FinishedFile[] = [];
  let [top, bytes, isWhole] = [0, 0, false];
  while (!isWhole && files.length < options.max_slices && bytes <= maxBytes) {
    const band = await decodeRows(visit, picture, { fit, top, rows: rowsOfBand(options, fit, top) });
    const slices = slicesIn(band, fit.height, options).slice(0, options.max_slices - files.length);
    const made = await Promise.all(slices.map((slice) => encodeSlice(visit, options, { file, band, slice })));
    files.push(...made.map((each, i) => ({ bytes: each, facts: factsOf(slices[i], fit, facts) })));
    bytes += made.reduce((sum, each) => sum + each.length, 0);
    const last = slices.at(-1)?.bottom ?? fit.height;
    isWhole = last === fit.height;
    top = last - options.slice_overlap;
  }
  return allOf(isWhole ? files : files.map(cutOff));
}

function cutOff({ bytes, facts }: FinishedFile): FinishedFile {
  return { bytes, facts: { ...facts, truncated: true } };
}

function allOf([first, ...others]: readonly FinishedFile[]): FinishedFiles {
  if (!first) throw new RangeError('A picture without rows');
  return [first, ...others];
}

function rowsOfBand(options: Slicing, { width, height }: PictureSize, top: number): number {
  if ((height - top) * width <= LAST_BAND_PIXELS) return height - top;
  return Math.min(height - top, Math.max(maxRowsOf(options), Math.floor(BAND_PIXELS / width)));
}

/** The slices whose ends the rows of a band show; at least one. */
function slicesIn(band: DecodedRows, height: number, options: Slicing): Slice[] {
  const slices: Slice[] = [];
  for (let { top } = band; top < height && slices.at(-1)?.bottom !== height;) {
    if (Math.min(height, top + maxRowsOf(options)) > band.top + band.rows) break;
    const bottom = endOf(band, { top, height }, options);
    slices.push({ top, bottom });
    top = bottom - options.slice_overlap;
  }
  return slices;
}

/** The row below a slice. The end of the picture is the best of gaps. */
function endOf(
  band: DecodedRows,
  { top, height }: { readonly top: number; readonly height: number },
  options: Slicing,
): number {
  if (height - top <= maxRowsOf(options)) return height;
  const wanted = top + options.slice_height;
  if (options.slice_at === 'exact') return wanted;
  const leeway = Math.floor(options.slice_height * LEEWAY);
  return findGap(band, { from: wanted - leeway, to: wanted + leeway, wanted }) ?? wanted;
}

function encodeSlice(
  visit: Visit,
  options: SliceOptions,
  {
    file,
    band,
    slice: { top, bottom },
  }: { readonly file: ScaledFile; readonly band: DecodedRows; readonly slice: Slice },
): Promise<Uint8Array> {
  const { width, channels, pixels } = band;
  const size = { width, height: bottom - top };
  const line = width * channels;
  const part = pixels.subarray((top - band.top) * line, (bottom - band.top) * line);
  return encodePicture(visit, part, {
    ...fitOf(size, { image_fit: 'inside' }),
    format: file.format,
    settings: settingsOf(options, file, size),
    isTransparent: options.omit_background,
    raw: { ...size, channels },
  });
}

function factsOf(slice: Slice | undefined, fit: PictureFit, facts: FileFacts): FileFacts {
  const { top = 0, bottom = fit.height } = slice ?? {};
  const { width } = fit;
  return { ...facts, width, height: bottom - top, offsetY: top, stable: stableIn(fit, facts.stable) };
}
