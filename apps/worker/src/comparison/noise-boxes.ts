import type { PictureBox } from '@app/capture';
import { intersection } from './changed-pixels.js';

/** How far a number reaches beyond the digits that differ, in heights of them: `1,204,331`, `11:30:01 UTC`. */
const REACH_HEIGHTS = 8;
const MAX_REACH_PX = 200;
/** Digits have edges. */
const MARGIN_PX = 4;

/**
 * The noise between two captures of one moment, and the changes since before that continue it: of a counter or a clock only the last
 * digits differ within a moment, and those before them within an hour.
 *
 * @param changed the boxes of what changed since before, each of which holds changes that touch
 */
export function continueNoise(
  noise: readonly PictureBox[],
  changed: readonly PictureBox[],
): readonly PictureBox[] {
  const continuing = changed.filter((box) => noise.some((each) => continues(box, each)));
  return [...noise, ...continuing];
}

/** Whether a box is in the line of the noise, and touches it. */
function continues(box: PictureBox, noise: PictureBox): boolean {
  const reach = Math.min(MAX_REACH_PX, REACH_HEIGHTS * noise.height);
  const line = {
    x: noise.x - reach,
    y: noise.y - MARGIN_PX,
    width: noise.width + 2 * reach,
    height: noise.height + 2 * MARGIN_PX,
  };
  return intersection(box, noise) !== undefined && isInside(box, line);
}

function isInside(box: PictureBox, other: PictureBox): boolean {
  const common = intersection(box, other);
  return common?.width === box.width && common.height === box.height;
}
