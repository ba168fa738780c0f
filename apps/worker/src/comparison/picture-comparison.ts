import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Format, PictureBox } from '@app/capture';
import { ratioOf } from './change-ratio.js';
import { ChangedPixels, coveredPixels, intersection } from './changed-pixels.js';
import { MAX_REQUEST_PIXELS, type OdiffService } from './odiff.service.js';

/** A picture to compare. */
export interface ComparedPicture {
  readonly bytes: Uint8Array;
  readonly format: Format;
  readonly width: number;
  readonly height: number;
}

export interface PictureComparison {
  readonly before: ComparedPicture;
  readonly now: ComparedPicture;
  readonly threshold: number;
  /** Parts that do not count, in px. */
  readonly ignored: readonly PictureBox[];
  /** An empty folder for temporary files. */
  readonly folder: string;
  readonly odiff: Pick<OdiffService, 'compare'>;
  readonly signal: AbortSignal;
}

export interface PictureChange {
  readonly ratio: number;
  readonly boxes: readonly PictureBox[];
  /** The file of differences, as large as both pictures together; null when nothing changed. */
  readonly diff: { readonly bytes: Uint8Array; readonly width: number; readonly height: number } | null;
}

/** Boxes in a report. */
const MAX_BOXES = 100;

/** Formats that odiff reads. Others are converted. */
const READABLE: readonly string[] = ['png', 'jpeg', 'webp'];

const MARK = { r: 255, g: 215, b: 0, alpha: 0.35 };
const BEYOND = { r: 255, g: 0, b: 0, alpha: 0.25 };
/** A mark reaches beyond its box, so that small ones are seen. */
const MARK_MARGIN_PX = 6;

/** Fast: these files exist for seconds. */
const TEMPORARY_PNG = { compressionLevel: 1 } as const;

interface Size {
  readonly width: number;
  readonly height: number;
}

/**
 * Compares two pictures, of any sizes and formats: the part that both have, pixel by pixel; what only one of them has is
 * changed. Large pictures are compared in bands, because odiff decodes whole files.
 *
 * @throws OdiffError and others, when a picture cannot be read
 */
export async function comparePictures(comparison: PictureComparison): Promise<PictureChange> {
  const { before, now, ignored } = comparison;
  const common = { width: Math.min(before.width, now.width), height: Math.min(before.height, now.height) };
  const whole = { width: Math.max(before.width, now.width), height: Math.max(before.height, now.height) };
  const changed = new ChangedPixels(common.width);
  const bands = await compareBands(comparison, common, changed);
  const countOf = (part: PictureBox): number => areaOf(part) - coveredPixels(ignored, part);
  // They are boxes of their own: one around a part to the right and one below would be the whole picture.
  const beyond = partsBeyond(before, now, common).filter((part) => countOf(part) > 0);
  const pixels = beyond.reduce((sum, part) => sum + countOf(part), changed.size);
  if (pixels === 0) return { ratio: 0, boxes: [], diff: null };
  const compared = beyond.reduce((sum, part) => sum + countOf(part), countOf({ x: 0, y: 0, ...common }));
  const boxes = changed.boxes(MAX_BOXES - beyond.length);
  const diff = await drawDiff(comparison, { bands, boxes, beyond, common, whole });
  return {
    ratio: ratioOf(pixels, compared),
    boxes: [...boxes, ...beyond],
    diff: { bytes: diff, ...whole },
  };
}

function areaOf({ width, height }: Size): number {
  return width * height;
}

/** The parts that only one of the pictures has: to the right of the common part, and below. */
function partsBeyond(one: Size, other: Size, common: Size): PictureBox[] {
  const [wider, taller] = [one.width > other.width ? one : other, one.height > other.height ? one : other];
  const right = { x: common.width, y: 0, width: wider.width - common.width, height: wider.height };
  const below = { x: 0, y: common.height, width: taller.width, height: taller.height - common.height };
  // Where both reach beyond the common part, one picture has it all.
  const isCorner = wider === taller && right.width > 0;
  return [right, isCorner ? { ...below, width: common.width } : below].filter((part) => areaOf(part) > 0);
}

/** A part of the common part, as wide as that. */
interface Band {
  readonly top: number;
  readonly height: number;
  /** The file in which odiff marked the differences; null when there are none. */
  readonly marked: string | null;
}

async function compareBands(
  comparison: PictureComparison,
  common: Size,
  changed: ChangedPixels,
): Promise<Band[]> {
  const bandHeight = Math.max(1, Math.floor(MAX_REQUEST_PIXELS / common.width));
  const bands: Band[] = [];
  for (let top = 0; top < common.height; top += bandHeight) {
    const height = Math.min(bandHeight, common.height - top);
    const part = { x: 0, y: top, width: common.width, height };
    bands.push(await compareBand(comparison, part, changed));
  }
  return bands;
}

async function compareBand(
  comparison: PictureComparison,
  part: PictureBox,
  changed: ChangedPixels,
): Promise<Band> {
  const { folder, odiff, threshold, ignored, signal } = comparison;
  const [base, compare] = await Promise.all([
    fileOf(comparison.now, part, path.join(folder, `now-${part.y}`)),
    fileOf(comparison.before, part, path.join(folder, `before-${part.y}`)),
  ]);
  const output = path.join(folder, `marked-${part.y}.png`);
  const ignoreRegions = ignored.flatMap((box) => {
    const inside = intersection(box, part);
    return inside ? [toRegion({ ...inside, y: inside.y - part.y })] : [];
  });
  const request = { base, compare, output, threshold, ignoreRegions };
  const { rows } = await odiff.compare(request, areaOf(part), signal);
  if (rows.length > 0) await readMarks(output, { rows, part }, changed);
  return { top: part.y, height: part.height, marked: rows.length > 0 ? output : null };
}

function toRegion({ x, y, width, height }: PictureBox) {
  return { x1: x, y1: y, x2: x + width - 1, y2: y + height - 1 };
}

/** Writes a part of a picture to a file that odiff can read. The whole picture of a known format is written as it is. */
async function fileOf(picture: ComparedPicture, part: PictureBox, name: string): Promise<string> {
  const { bytes, format, width, height } = picture;
  const isWhole = part.width === width && part.height === height;
  const isReadable = READABLE.includes(format);
  const file = `${name}.${isWhole && isReadable ? format : 'png'}`;
  if (isWhole && isReadable) await writeFile(file, bytes);
  else {
    const { default: sharp } = await import('sharp');
    await sharp(bytes, { limitInputPixels: false })
      .extract({ left: part.x, top: part.y, width: part.width, height: part.height })
      .png(TEMPORARY_PNG)
      .toFile(file);
  }
  return file;
}

/** Reads what odiff marked. It adds white to all other pixels, so that only marks have no green. */
async function readMarks(
  file: string,
  { rows, part }: { readonly rows: readonly number[]; readonly part: PictureBox },
  changed: ChangedPixels,
): Promise<void> {
  const { default: sharp } = await import('sharp');
  const [first = 0] = rows;
  const last = rows.at(-1) ?? first;
  const green = await sharp(file, { limitInputPixels: false })
    .extract({ left: 0, top: first, width: part.width, height: last - first + 1 })
    .extractChannel('green')
    .raw()
    .toBuffer();
  for (const row of rows) {
    const start = (row - first) * part.width;
    changed.addRow(part.y + row, green.subarray(start, start + part.width));
  }
}

interface Drawing {
  readonly bands: readonly Band[];
  readonly boxes: readonly PictureBox[];
  readonly beyond: readonly PictureBox[];
  readonly common: Size;
  readonly whole: Size;
}

/** The new picture, faded, with what changed in red and in boxes. */
async function drawDiff(
  { now, folder }: PictureComparison,
  { bands, boxes, beyond, common, whole }: Drawing,
): Promise<Uint8Array> {
  const { default: sharp } = await import('sharp');
  const unlimited = { limitInputPixels: false } as const;
  const isSameSize = areaOf(common) === areaOf(whole);
  const isOneBand = isSameSize && bands.length === 1 && bands[0]?.marked != null;
  const base = isOneBand ? (bands[0]?.marked ?? '') : path.join(folder, 'faded.png');
  const layers: { input: string; left: number; top: number }[] = [];
  if (!isOneBand) {
    await sharp(now.bytes, unlimited)
      .flatten({ background: '#fff' })
      .linear(0.3, 255 * 0.7)
      .extend({ right: whole.width - now.width, bottom: whole.height - now.height, background: '#fff' })
      .png(TEMPORARY_PNG)
      .toFile(base);
    for (const { marked, top } of bands) if (marked !== null) layers.push({ input: marked, left: 0, top });
  }
  const fills = [
    ...beyond.map((part) => ({ part, background: BEYOND })),
    ...boxes.flatMap((box) => {
      const part = intersection(withMargin(box), { x: 0, y: 0, ...whole });
      return part ? [{ part, background: MARK }] : [];
    }),
  ];
  return sharp(base, unlimited)
    .flatten({ background: '#fff' })
    .composite([
      ...layers,
      ...fills.map(({ part: { x, y, width, height }, background }) => ({
        input: { create: { width, height, channels: 4 as const, background } },
        left: x,
        top: y,
      })),
    ])
    .removeAlpha()
    .png()
    .toBuffer();
}

function withMargin({ x, y, width, height }: PictureBox): PictureBox {
  const both = 2 * MARK_MARGIN_PX;
  return { x: x - MARK_MARGIN_PX, y: y - MARK_MARGIN_PX, width: width + both, height: height + both };
}
