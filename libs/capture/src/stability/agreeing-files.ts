import { setTimeout as delay } from 'node:timers/promises';
import type { StableReport } from '../record/stable.js';
import type { Visit } from '../pipeline/family.js';
import type { Rendered } from '../pipeline/format.js';
import { differingBoxes } from './differing-boxes.js';

/** Times between files, which grow: what moves rarely needs longer to show. Their number is that of files but one. */
const PAUSES_MS = [100, 250, 500, 1_000, 1_000] as const;

/**
 * Renders a page that stands still until two files in a row are equal, at most 6 times and within `withinMs`. The last file is
 * the result, whether it agrees with the one before or not.
 *
 * Encoded bytes are compared: equal pixels give equal bytes. Pictures are decoded only to find out where they differ.
 */
export async function untilAgreed(
  visit: Visit,
  render: () => Promise<Rendered>,
  { withinMs, isLossy }: { readonly withinMs: number; readonly isLossy: boolean },
): Promise<Rendered> {
  const until = performance.now() + Math.min(withinMs, visit.remainingMs() / 3);
  let [last, frames, boxes] = [await render(), 1, nothing];
  for (const pauseMs of PAUSES_MS) {
    // At least two files are compared.
    if (frames > 1 && performance.now() + pauseMs > until) break;
    await delay(pauseMs, undefined, { signal: visit.signal });
    const file = await render();
    frames += 1;
    const before = last;
    if (Buffer.compare(file.bytes, before.bytes) === 0)
      return reported(file, { agreed: true, frames, unstable_boxes: [] });
    boxes = () => boxesOf(before, file, isLossy);
    last = file;
  }
  return reported(last, { agreed: false, frames, unstable_boxes: await boxes() });
}

const nothing = (): Promise<StableReport['unstable_boxes']> => Promise.resolve([]);

function reported(file: Rendered, stable: StableReport): Rendered {
  return { ...file, facts: { ...file.facts, stable } };
}

/** Files that are no pictures have no boxes. */
async function boxesOf(
  one: Rendered,
  other: Rendered,
  isLossy: boolean,
): Promise<StableReport['unstable_boxes']> {
  const { width, height } = other.facts ?? {};
  if (width == null || height == null) return [];
  const isSameSize = one.facts?.width === width && one.facts.height === height;
  // What another file is made of is a PNG.
  const isPng = !isLossy || other.finish !== undefined;
  return isSameSize ? differingBoxes(one.bytes, other.bytes, !isPng) : [{ x: 0, y: 0, width, height }];
}
