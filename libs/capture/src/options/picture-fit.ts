import type { Box } from '../pipeline/capture-area.js';

export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/** The options of the family `image` that say how large the file is. */
export interface Scaling {
  readonly image_width?: number;
  readonly image_height?: number;
  readonly image_fit: 'inside' | 'cover' | 'contain';
}

/** How a picture becomes a file of another size, in px: `source` is scaled to the size of `target`, outside of which is a border. */
export interface PictureFit extends PictureSize {
  /** The part of the picture that the file shows. */
  readonly source: Box;
  /** Where the file shows it. */
  readonly target: Box;
}

export function isScaled({ image_width: width, image_height: height }: Scaling): boolean {
  return width !== undefined || height !== undefined;
}

/**
 * - `inside`: the largest size of the same shape that is not beyond the sides that are given, and never larger than the picture.
 * - `contain`: the same, with a border on opposite sides that makes it exactly as large as asked.
 * - `cover`: exactly as large as asked. The picture is scaled, up if need be, until it fills the file; what is beyond is cut
 *   at the left and at the right alike, or at the bottom, because a page begins at its top.
 */
export function fitOf(picture: PictureSize, { image_fit: fit, ...asked }: Scaling): PictureFit {
  const { image_width: width, image_height: height } = asked;
  const whole = { x: 0, y: 0, width: picture.width, height: picture.height };
  if (fit === 'cover' && width !== undefined && height !== undefined) {
    return {
      width,
      height,
      source: covering(picture, { width, height }),
      target: { x: 0, y: 0, width, height },
    };
  }
  const factor = Math.min(1, (width ?? Infinity) / picture.width, (height ?? Infinity) / picture.height);
  const inner = { width: scaled(picture.width, factor), height: scaled(picture.height, factor) };
  if (fit === 'inside' || width === undefined || height === undefined) {
    return { ...inner, source: whole, target: { x: 0, y: 0, ...inner } };
  }
  const [x, y] = [Math.floor((width - inner.width) / 2), Math.floor((height - inner.height) / 2)];
  return { width, height, source: whole, target: { x, y, ...inner } };
}

function scaled(side: number, factor: number): number {
  return Math.max(1, Math.round(side * factor));
}

/** The largest part of the picture that has the shape of the file. */
function covering(picture: PictureSize, file: PictureSize): Box {
  const factor = Math.max(file.width / picture.width, file.height / picture.height);
  const width = Math.min(picture.width, scaled(file.width, 1 / factor));
  const height = Math.min(picture.height, scaled(file.height, 1 / factor));
  return { x: Math.floor((picture.width - width) / 2), y: 0, width, height };
}

/** A box of the picture as a box of the file, in whole px that contain it; undefined when the file does not show it. */
export function boxInFile({ source, target }: PictureFit, box: Box): Box | undefined {
  const [across, down] = [target.width / source.width, target.height / source.height];
  const x = target.x + Math.floor(Math.max(0, box.x - source.x) * across);
  const y = target.y + Math.floor(Math.max(0, box.y - source.y) * down);
  const right = target.x + Math.ceil(Math.min(source.width, box.x + box.width - source.x) * across);
  const bottom = target.y + Math.ceil(Math.min(source.height, box.y + box.height - source.y) * down);
  return right > x && bottom > y ? { x, y, width: right - x, height: bottom - y } : undefined;
}
