import { AppError } from '@app/kernel';
import type { FramingOptions } from '../options/framing.js';
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
import { locateElement } from './element-box.js';
import type { Visit } from '../pipeline/family.js';
import { measureHorizontalExtent } from './horizontal-extent.js';
import { isScaled, type Scaling } from '../options/picture-fit.js';

type AreaOptions = FramingOptions & Scaling;

/**
 * The part of the page to photograph, `page` being its size as it is now. `maxSide` is the longest side of the file, which may be
 * smaller than the picture.
 *
 * @throws AppError `resource_limit` when the picture would be too large and must not be cut
 */
export async function areaOf(
  visit: Visit,
  options: AreaOptions,
  { page, maxSide }: { page: Promise<PageSize>; maxSide: number },
): Promise<CaptureArea> {
  const clip = clipOf(options);
  // What the window shows needs no measuring: the most frequent capture is not made to wait for it.
  const maxPictureSide = isScaled(options) ? MAX_SIDE : maxSide;
  if (!options.full_page && options.selector === undefined && !clip) return windowArea(visit, maxPictureSide);
  const size = await page;
  const scale = { zoom: size.zoom, density: densityOf(visit), maxSide: maxPictureSide };
  // A part of a page that is zoomed out to its window has the size that its CSS says.
  const whole = { ...scale, zoom: 1 };
  if (clip) return boxArea(insidePage(size, clip), whole);
  if (options.selector !== undefined) {
    const box = await locateElement(visit, options.selector, options.selector_padding);
    return cutArea(box, options, { scale: whole, maxSide });
  }
  return fullPageArea(visit, options, { size, scale, maxSide });
}

interface Limits {
  readonly scale: CaptureScale;
  /** Longest side of the file in px. */
  readonly maxSide: number;
}

/** The area of this box, cut at the bottom so that neither the picture nor the file is too high. */
function cutArea(
  box: Box,
  { image_width: width, image_height: height }: Scaling,
  { scale, maxSide }: Limits,
) {
  if (width === undefined || height !== undefined) return croppedArea(box, scale);
  const shrinking = Math.max(1, (box.width * scale.zoom * scale.density) / width);
  return croppedArea(box, { ...scale, maxSide: Math.min(MAX_SIDE, Math.floor(maxSide * shrinking)) });
}

async function fullPageArea(
  visit: Visit,
  options: AreaOptions,
  { size, scale, maxSide }: Limits & { readonly size: PageSize },
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
  const area = cutArea({ ...wanted, y: 0, width, height }, options, { scale, maxSide });
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
