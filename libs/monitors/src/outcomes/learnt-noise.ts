import type { PictureBox } from '@app/capture';

/**
 * Checks for which noise is remembered: after ten, a part of a page that differs in one check of four was forgotten and reported
 * (bench/alarms). A page that was rebuilt has its noise elsewhere.
 */
export const NOISE_CHECKS = 50;

/** Letters and pictures that take turns do not end at the same pixel. */
const MARGIN_PX = 8;

/**
 * Whether all that changed lies where the page has recently differed between two captures of one moment. A carousel of few pictures shows
 * the same one twice now and then, and would look like a change.
 */
export function isLearntNoise(changed: readonly PictureBox[], noise: readonly PictureBox[]): boolean {
  const places = noise.map(({ x, y, width, height }) => ({
    x: x - MARGIN_PX,
    y: y - MARGIN_PX,
    width: width + 2 * MARGIN_PX,
    height: height + 2 * MARGIN_PX,
  }));
  return changed.length > 0 && changed.every((box) => isCovered(box, places));
}

/** Whether boxes cover another one together. */
function isCovered(box: PictureBox, by: readonly PictureBox[]): boolean {
  const [first, ...rest] = by;
  if (first === undefined) return false;
  return partsOutside(box, first).every((part) => isCovered(part, rest));
}

/** The parts of a box outside of another: above, below, and at both sides of it. */
function partsOutside(box: PictureBox, other: PictureBox): PictureBox[] {
  const [right, bottom] = [box.x + box.width, box.y + box.height];
  const left = clamp(other.x, box.x, right);
  const end = clamp(other.x + other.width, box.x, right);
  const top = clamp(other.y, box.y, bottom);
  const foot = clamp(other.y + other.height, box.y, bottom);
  if (left === end || top === foot) return [box];
  return [
    { ...box, height: top - box.y },
    { ...box, y: foot, height: bottom - foot },
    { x: box.x, y: top, width: left - box.x, height: foot - top },
    { x: end, y: top, width: right - end, height: foot - top },
  ].filter(({ width, height }) => width > 0 && height > 0);
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}
