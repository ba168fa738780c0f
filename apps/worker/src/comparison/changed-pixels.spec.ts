import { describe, expect, it } from '@jest/globals';
import { ChangedPixels, coveredPixels, intersection } from './changed-pixels.js';

/** A row of 100 px in which these px changed. */
function row(...changed: number[]): Uint8Array {
  const marks = new Uint8Array(100).fill(200);
  for (const x of changed) marks[x] = 0;
  return marks;
}

describe(ChangedPixels.name, () => {
  it('counts pixels, and draws boxes that end at them', () => {
    const changed = new ChangedPixels(100);
    changed.addRow(10, row(3, 7));
    changed.addRow(12, row(5));
    changed.addRow(80, row(99));
    expect(changed.size).toBe(4);
    expect(changed.boxes(10)).toEqual([
      { x: 3, y: 10, width: 5, height: 3 },
      { x: 99, y: 80, width: 1, height: 1 },
    ]);
  });

  it('takes changes in squares that touch as one, also at corners, and not over the edge of the picture', () => {
    const changed = new ChangedPixels(100);
    changed.addRow(15, row(15));
    changed.addRow(16, row(16));
    changed.addRow(15, row(98));
    changed.addRow(31, row(0));
    expect(changed.boxes(10)).toEqual([
      { x: 0, y: 15, width: 17, height: 17 },
      { x: 98, y: 15, width: 1, height: 1 },
    ]);
    const edge = new ChangedPixels(96);
    edge.addRow(0, row(95).subarray(0, 96));
    edge.addRow(16, row(0).subarray(0, 96));
    expect(edge.boxes(10)).toHaveLength(2);
  });

  it('joins what is near when there would be too many boxes, and loses nothing', () => {
    const changed = new ChangedPixels(100);
    for (let y = 0; y < 10_000; y += 40) changed.addRow(y, row(0, 48, 99));
    const boxes = changed.boxes(100);
    expect(boxes.length).toBeLessThanOrEqual(100);
    expect(boxes.length).toBeGreaterThan(1);
    const isInside = (x: number, y: number): boolean =>
      boxes.some((box) => box.x <= x && x < box.x + box.width && box.y <= y && y < box.y + box.height);
    for (let y = 0; y < 10_000; y += 40) expect([0, 48, 99].every((x) => isInside(x, y))).toBe(true);
  });
});

describe(coveredPixels.name, () => {
  it.each([
    [[], 0],
    [[[0, 0, 10, 10]], 100],
    [[[-5, -5, 10, 10]], 25],
    [[[95, 95, 10, 10]], 25],
    [[[200, 0, 10, 10]], 0],
    [
      [
        [0, 0, 10, 10],
        [5, 5, 10, 10],
      ],
      175,
    ],
    [
      [
        [0, 0, 10, 10],
        [0, 0, 10, 10],
        [2, 2, 2, 2],
      ],
      100,
    ],
    [
      [
        [0, 0, 100, 10],
        [0, 20, 100, 10],
        [40, 0, 10, 100],
      ],
      2_800,
    ],
  ])('counts each pixel once: %j', (boxes, covered) => {
    const toBox = ([x = 0, y = 0, width = 0, height = 0]: number[]) => ({ x, y, width, height });
    expect(coveredPixels(boxes.map(toBox), toBox([0, 0, 100, 100]))).toBe(covered);
  });

  it('is fast for many boxes that overlap', () => {
    const boxes = Array.from({ length: 500 }, (_, i) => ({ x: i, y: i, width: 5_000, height: 5_000 }));
    expect(coveredPixels(boxes, { x: 0, y: 0, width: 10_000, height: 10_000 })).toBe(29_989_501);
  });
});

describe(intersection.name, () => {
  it('is undefined for boxes that only touch', () => {
    const box = { x: 0, y: 0, width: 10, height: 10 };
    expect(intersection(box, { ...box, x: 10 })).toBeUndefined();
    expect(intersection(box, { ...box, x: 9 })).toEqual({ x: 9, y: 0, width: 1, height: 10 });
  });
});
