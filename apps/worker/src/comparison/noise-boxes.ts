import type { PictureBox } from '@app/capture';
import { intersection } from './changed-pixels.js';

/** How far a number reaches beyond the digits that differ, in heights of them: `1,204,331`, `11:30:01 UTC`. */
const REACH_HEIGHTS = 8;
const MAX_REACH_PX = 200;
/** Places of noise beside each other that make a row, such as articles in a random order. */
const MIN_ROW = 3;
/** Digits have edges. */
const MARGIN_PX = 4;

/**
 * The noise between two captures of one moment, and the changes since before that continue it: of a counter or a clock only the last
 * digits differ within a moment, and those before them within an hour. In a row of noise, one part may be the same by chance.
 *
 * @param changed the boxes of what changed since before, each of which holds changes that touch
 */
export function continueNoise(
  noise: readonly PictureBox[],
  changed: readonly PictureBox[],
): readonly PictureBox[] {
  const rows = noise.flatMap((box) => rowOf(box, noise) ?? []);
  const continuing = changed.filter(
    (box) =>
      !noise.some((each) => isInside(box, each)) &&
      (noise.some((each) => continues(box, each)) || rows.some((row) => isInside(box, row))),
  );
  return [...noise, ...continuing];
}

/** The box around the noise beside this one; undefined when that is no row. */
function rowOf(box: PictureBox, noise: readonly PictureBox[]): PictureBox | undefined {
  const row = noise.filter((other) => {
    const common = Math.min(box.y + box.height, other.y + other.height) - Math.max(box.y, other.y);
    return 2 * common >= Math.min(box.height, other.height);
  });
  if (row.length < MIN_ROW) return undefined;
  const [x, y] = [Math.min(...row.map((each) => each.x)), Math.min(...row.map((each) => each.y))];
  const width = Math.max(...row.map((each) => each.x + each.width)) - x;
  const height = Math.max(...row.map((each) => each.y + each.height)) - y;
  return grow({ x, y, width, height }, MARGIN_PX, MARGIN_PX);
}

/** Whether a box is in the line of the noise, and touches it. */
function continues(box: PictureBox, noise: PictureBox): boolean {
  const reach = Math.min(MAX_REACH_PX, REACH_HEIGHTS * noise.height);
  const touches = intersection(box, grow(noise, MARGIN_PX, MARGIN_PX)) !== undefined;
  return touches && isInside(box, grow(noise, reach, MARGIN_PX));
}

function grow({ x, y, width, height }: PictureBox, across: number, down: number): PictureBox {
  return { x: x - across, y: y - down, width: width + 2 * across, height: height + 2 * down };
}

function isInside(box: PictureBox, other: PictureBox): boolean {
  const common = intersection(box, other);
  return common?.width === box.width && common.height === box.height;
}
