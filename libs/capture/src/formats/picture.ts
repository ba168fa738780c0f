import { imageSize } from 'image-size';
import { AppError } from '@app/kernel';
import { ComparisonOptions } from '../options/comparison.js';
import { FramingOptions } from '../options/framing.js';
import type { ImageOptions } from '../options/image.js';
import { isInWindow, MAX_SIDE, type CaptureArea } from '../pipeline/capture-area.js';
import type { Visit } from '../pipeline/family.js';
import {
  defineFormat,
  optionsOf,
  type FinishedFiles,
  type RenderContext,
  type Rendered,
} from '../pipeline/format.js';
import { stitchPicture } from '../full-page/stitched-picture.js';
import { MAX_AVIF_SIDE } from '../options/avif-limits.js';
import { DEFAULT_QUALITY } from '../options/default-quality.js';
import { areaOf } from './picture-area.js';
import { isScaled } from '../options/picture-fit.js';
import { isSliced, SlicingOptions } from '../options/slicing.js';
import { checkedFit, scalePicture, type DrawnPicture, type ScaledFile } from './scaled-picture.js';
import { checkSlices, cutSlices } from './slices.js';
import { stillPicture } from './still-picture.js';

type PictureOptions = FramingOptions & ImageOptions & SlicingOptions;

/** What Chromium encodes by itself. */
type BrowserFormat = 'png' | 'jpeg' | 'webp';

/** A format of pictures. */
interface Encoding {
  readonly name: BrowserFormat | 'avif';
  /** Longest side in px. Past it Chromium returns an empty picture without an error. */
  readonly maxSide: number;
  /** The quality without `quality`, when it is lossy. */
  readonly quality?: number;
  /** The options of encoding that it has. */
  readonly options: readonly (keyof ImageOptions)[];
}

interface PictureFile {
  readonly label: string;
  /** What its documentation says besides that it is a picture. */
  readonly doc?: string;
  readonly isSeenByModels: boolean;
  readonly extension: string;
  readonly otherExtensions?: readonly string[];
}

/** What all formats of pictures have in common. */
function propertiesOf({ name, quality }: Encoding, { doc = '', ...file }: PictureFile) {
  return {
    ...file,
    kind: 'picture' as const,
    comparedAs: 'picture' as const,
    disposition: 'inline' as const,
    isCompressed: true,
    doc: `A picture of the page.${doc}`,
    contentType: `image/${name}`,
    isLossy: quality !== undefined,
    ...(quality !== undefined && { defaultQuality: quality }),
  };
}

function definePicture<const Name extends Encoding['name']>(
  encoding: Encoding & { readonly name: Name },
  file: PictureFile,
) {
  return defineFormat<Name, PictureOptions>({
    name: encoding.name,
    ...propertiesOf(encoding, file),
    options: [
      // Scrolling loads lazy content, which every format can show.
      ...optionsOf(FramingOptions, { except: ['scroll', 'scroll_to_selector'] }),
      ...optionsOf(SlicingOptions),
      ...encoding.options,
      ...optionsOf(ComparisonOptions),
    ],
    render: async (visit, options, { page, maxBytes }) => {
      const isStitched = isOfParts(visit, options);
      const target = { format: encoding.name, maxSide: encoding.maxSide };
      const area = await fittingArea(visit, options, { page, target });
      const isOwn = isStitched || isMadeOfPng(encoding, options, area);
      if (isOwn && !isSliced(options)) checkedFit(area, options, target);
      // Chromium resizes the window for what is beyond it.
      const isBeyond = area.clip !== undefined && !isInWindow(await page, area.clip);
      const size = isStitched ? await page : undefined;
      const shot = { encoding, area, isOwn, isBeyond };
      if (options.omit_background && encoding.options.includes('omit_background'))
        await omitBackground(visit);
      const take = () =>
        size
          ? stitchPicture(visit, area, size)
          : stillPicture(visit, isBeyond, () => takePicture(visit, options, shot));
      const { bytes, width, height } =
        (await attempt(area, take)) ?? (await attempt(area, take)) ?? notDrawn(area);
      const finish: Rendered['finish'] = (facts) =>
        makeFiles(visit, options, { drawn: { file: target, picture: bytes, facts }, maxBytes });
      return { bytes, facts: { width, height, truncated: area.truncated }, area, ...(isOwn && { finish }) };
    },
  });
}

/** The part of the page to photograph. Slices have the side that the format allows each. */
async function fittingArea(
  visit: Visit,
  options: PictureOptions,
  { page, target }: Pick<RenderContext, 'page'> & { readonly target: ScaledFile },
): Promise<CaptureArea> {
  if (!isSliced(options)) return areaOf(visit, options, { page, maxSide: target.maxSide });
  const area = await areaOf(visit, options, { page, maxSide: MAX_SIDE });
  checkSlices(area, options, target);
  return area;
}

/** Makes the file of a picture, or those of its slices. */
async function makeFiles(
  visit: Visit,
  options: PictureOptions,
  { drawn, maxBytes }: { readonly drawn: DrawnPicture; readonly maxBytes: number },
): Promise<FinishedFiles> {
  if (isSliced(options)) return cutSlices(visit, options, { ...drawn, maxBytes });
  return [await scalePicture(visit, options, drawn)];
}

/**
 * libvips compresses a PNG in a third of the CPU time that Chromium takes (docs/adr/0028). Chromium compresses larger pictures: the
 * quick file of one could exceed the limit of a message of the browser, and decoding it takes memory of the worker.
 */
const MAX_RECOMPRESSED_PIXELS = 20_000_000;

/** Whether pictures of the window are joined. */
function isOfParts(visit: Visit, { full_page: isFull, full_page_method: method }: FramingOptions): boolean {
  return isFull && (method === 'stitch' || visit.needsStitching === true);
}

/** Whether the worker makes the file of a PNG, instead of keeping Chromium's file. */
function isMadeOfPng({ name }: Encoding, options: PictureOptions, { width, height }: CaptureArea): boolean {
  if (name === 'avif' || isScaled(options) || isSliced(options)) return true;
  return name === 'png' && !options.optimize_for_speed && width * height <= MAX_RECOMPRESSED_PIXELS;
}

interface Shot {
  readonly encoding: Encoding;
  readonly area: CaptureArea;
  /** The worker makes the file of a PNG, which loses nothing. */
  readonly isOwn: boolean;
  readonly isBeyond: boolean;
}

const TRANSPARENT = { r: 0, g: 0, b: 0, a: 0 };

async function omitBackground({ cdp }: Visit): Promise<void> {
  await cdp.send('Emulation.setDefaultBackgroundColorOverride', { color: TRANSPARENT });
}

/**
 * Photographs the area. The result may be empty or of another size when Chromium is short of memory.
 *
 * It does not use `page.screenshot()`: a call that never returns, because the page navigated, would block all later calls.
 */
async function takePicture(
  { cdp }: Visit,
  options: PictureOptions,
  { encoding, area, isOwn, isBeyond }: Shot,
): Promise<Uint8Array> {
  const { data } = await cdp.send('Page.captureScreenshot', {
    ...(isOwn ? QUICK_PNG : encodingOf(encoding, options)),
    ...(area.clip && { clip: area.clip, captureBeyondViewport: isBeyond }),
  });
  return Buffer.from(data, 'base64');
}

const QUICK_PNG = { format: 'png', optimizeForSpeed: true } as const;

function encodingOf({ name, quality }: Encoding, options: ImageOptions) {
  return {
    format: name as BrowserFormat,
    ...(quality !== undefined && { quality: options.quality ?? quality }),
    optimizeForSpeed: options.optimize_for_speed,
  };
}

/** Half a device px may be rounded either way, at both edges. */
const TOLERANCE_PX = 2;

interface Picture {
  readonly bytes: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** The picture, or undefined when it is empty or has the wrong size: Chromium reports neither as an error. */
async function attempt(area: CaptureArea, take: () => Promise<Uint8Array>): Promise<Picture | undefined> {
  const bytes = await take();
  if (bytes.length === 0) return undefined;
  const { width, height } = imageSize(bytes);
  const isWhole =
    Math.abs(width - area.width) <= TOLERANCE_PX && Math.abs(height - area.height) <= TOLERANCE_PX;
  return isWhole ? { bytes, width, height } : undefined;
}

function notDrawn(area: CaptureArea): never {
  throw new AppError('resource_limit', {
    detail: `The browser could not draw an image of ${area.width} × ${area.height} px.`,
  });
}

const SCALING = ['image_width', 'image_height', 'image_fit'] as const;

export const png = definePicture(
  { name: 'png', maxSide: MAX_SIDE, options: [...SCALING, 'omit_background', 'optimize_for_speed'] },
  { label: 'PNG', extension: 'png', isSeenByModels: true },
);

export const jpeg = definePicture(
  // The limit of libjpeg, a little less than the 16 bits of the format.
  { name: 'jpeg', maxSide: 65_500, quality: DEFAULT_QUALITY.jpeg, options: [...SCALING, 'quality'] },
  { label: 'JPEG', extension: 'jpg', otherExtensions: ['jpeg'], isSeenByModels: true },
);

export const webp = definePicture(
  // The format has 14 bits for a side.
  {
    name: 'webp',
    maxSide: 16_383,
    quality: DEFAULT_QUALITY.webp,
    options: [...SCALING, 'quality', 'omit_background'],
  },
  { label: 'WebP', extension: 'webp', isSeenByModels: true },
);

export const avif = definePicture(
  {
    name: 'avif',
    maxSide: MAX_AVIF_SIDE,
    quality: DEFAULT_QUALITY.avif,
    options: [...SCALING, 'quality', 'omit_background'],
  },
  {
    doc: ' At most 16,384 px a side and 21 megapixels (12 with `omit_background`). Large ones have colours of half the resolution, as every `jpeg` and `webp` has.',
    label: 'AVIF',
    extension: 'avif',
    isSeenByModels: false,
  },
);
