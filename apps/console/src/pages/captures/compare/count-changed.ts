/** A colour channel that differs by less is noise of a lossy format, and cannot be seen. */
const VISIBLE = 8;

/** How many pixels of two pictures differ, given the red, green, blue and alpha of each. */
export function countChanged(a: Uint8ClampedArray, b: Uint8ClampedArray): number {
  let changed = 0;
  for (let at = 0; at < a.length; at += 4) {
    if (differs(a, b, at) || differs(a, b, at + 1) || differs(a, b, at + 2) || differs(a, b, at + 3))
      changed++;
  }
  return changed;
}

function differs(a: Uint8ClampedArray, b: Uint8ClampedArray, at: number): boolean {
  return Math.abs((a[at] ?? 0) - (b[at] ?? 0)) > VISIBLE;
}
