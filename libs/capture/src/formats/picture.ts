import { imageSize } from 'image-size';
import { AppError } from '@app/kernel';
import { FramingOptions } from '../options/framing.js';
import type { ImageOptions } from '../options/image.js';
import {
  boxArea,
  croppedArea,
  densityOf,
  MAX_SIDE,
  windowArea,
  type Box,
  type CaptureArea,
  type CaptureScale,
  type PageSize,
} from '../pipeline/capture-area.js';
import { locateElement } from '../pipeline/element-box.js';
import type { Visit } from '../pipeline/family.js';
import { defineFormat, optionsOf } from '../pipeline/format.js';
import { measureHorizontalExtent } from '../pipeline/horizontal-extent.js';
import { stillPicture } from './still-picture.js';

type PictureOptions = FramingOptions & ImageOptions;

/** How Chromium encodes a picture. */
interface Encoding {
  readonly name: 'png' | 'jpeg' | 'webp';
  /** Longest side in device px. Past it Chromium returns an empty picture without an error. */
  readonly maxSide: number;
  /** The options of encoding that it has. */
  readonly options: readonly (keyof ImageOptions)[];
}

interface PictureFile {
  readonly extension: string;
  readonly otherExtensions?: readonly string[];
}

function definePicture<const Name extends Encoding['name']>(
  encoding: Encoding & { readonly name: Name },
  file: PictureFile,
) {
  return defineFormat<Name, PictureOptions>({
    name: encoding.name,
    doc: 'A picture of the page.',
    contentType: `image/${encoding.name}`,
    ...file,
    disposition: 'inline',
    options: [
      // Scrolling loads lazy content, which every format can show.
      ...optionsOf(FramingOptions, { except: ['scroll', 'scroll_to_selector'] }),
      ...encoding.options,
    ],
    render: async (visit, options, { page }) => {
      const area = await areaOf(visit, options, { page, maxSide: encoding.maxSide });
      const take = (): Promise<Uint8Array> => takePicture(visit, options, { encoding, area });
      const { bytes, width, height } =
        (await attempt(visit, area, take)) ?? (await attempt(visit, area, take)) ?? notDrawn(area);
      return { bytes, facts: { width, height, truncated: area.truncated } };
    },
  });
}

/** The part of the page to photograph, `page` being its size as it is now. */
async function areaOf(
  visit: Visit,
  options: FramingOptions,
  { page, maxSide }: { page: Promise<PageSize>; maxSide: number },
): Promise<CaptureArea> {
  const clip = clipOf(options);
  // What the window shows needs no measuring: the most frequent capture is not made to wait for it.
  if (!options.full_page && options.selector === undefined && !clip) return windowArea(visit, maxSide);
  const size = await page;
  const scale = { zoom: size.zoom, density: densityOf(visit), maxSide };
  if (clip) return boxArea(insidePage(size, clip), scale);
  if (options.selector !== undefined) {
    return croppedArea(await locateElement(visit, options.selector, options.selector_padding), scale);
  }
  return fullPageArea(visit, options, { size, scale });
}

async function fullPageArea(
  visit: Visit,
  options: FramingOptions,
  { size, scale }: { size: PageSize; scale: CaptureScale },
): Promise<CaptureArea> {
  const { windowWidth } = size;
  const sides =
    size.width > windowWidth
      ? await measureHorizontalExtent(visit, windowWidth)
      : { window: 0, left: 0, right: windowWidth };
  const wanted = options.full_width
    ? { x: sides.left, width: sides.right - sides.left }
    : { x: sides.window, width: windowWidth };
  const width = Math.min(wanted.width, Math.floor(scale.maxSide / scale.zoom / scale.density));
  const height = Math.min(size.height, options.max_height);
  const area = croppedArea({ ...wanted, y: 0, width, height }, scale);
  const isCut = height < size.height || width < sides.right - sides.left;
  return { ...area, truncated: area.truncated || isCut };
}

function clipOf({
  clip_x: x,
  clip_y: y,
  clip_width: width,
  clip_height: height,
}: FramingOptions): Box | undefined {
  if (x === undefined || y === undefined || width === undefined || height === undefined) return undefined;
  // Whole px: anything between would be drawn blurred.
  return { x: Math.round(x), y: Math.round(y), width: Math.round(width), height: Math.round(height) };
}

function insidePage(page: PageSize, clip: Box): Box {
  if (clip.x + clip.width <= page.width && clip.y + clip.height <= page.height) return clip;
  throw new AppError('clip_out_of_bounds', {
    detail: `The clip reaches past the page, which has ${page.width} × ${page.height} CSS px.`,
  });
}

const TRANSPARENT = { r: 0, g: 0, b: 0, a: 0 };

/**
 * Photographs the area. The result may be empty or of another size when Chromium is short of memory.
 *
 * It does not use `page.screenshot()`: a call that never returns, because the page navigated, would block all later calls.
 */
async function takePicture(
  { cdp }: Visit,
  options: PictureOptions,
  { encoding, area }: { encoding: Encoding; area: CaptureArea },
): Promise<Uint8Array> {
  const takes = (option: keyof ImageOptions): boolean => encoding.options.includes(option);
  if (options.omit_background && takes('omit_background')) {
    await cdp.send('Emulation.setDefaultBackgroundColorOverride', { color: TRANSPARENT });
  }
  const { data } = await cdp.send('Page.captureScreenshot', {
    format: encoding.name,
    ...(takes('quality') && { quality: options.quality }),
    optimizeForSpeed: options.optimize_for_speed,
    ...(area.clip && { clip: area.clip, captureBeyondViewport: true }),
  });
  return Buffer.from(data, 'base64');
}

/** Half a device px may be rounded either way, at both edges. */
const TOLERANCE_PX = 2;

interface Picture {
  readonly bytes: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** The picture, or undefined when it is empty or has the wrong size: Chromium reports neither as an error. */
async function attempt(
  visit: Visit,
  area: CaptureArea,
  take: () => Promise<Uint8Array>,
): Promise<Picture | undefined> {
  const bytes = await stillPicture(visit, take);
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
  { extension: 'png' },
);

export const jpeg = definePicture(
  // The limit of libjpeg, a little less than the 16 bits of the format.
  { name: 'jpeg', maxSide: 65_500, options: [...SCALING, 'quality'] },
  { extension: 'jpg', otherExtensions: ['jpeg'] },
);

export const webp = definePicture(
  // The format has 14 bits for a side.
  { name: 'webp', maxSide: 16_383, options: [...SCALING, 'quality', 'omit_background'] },
  { extension: 'webp' },
);
