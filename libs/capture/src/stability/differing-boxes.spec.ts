import { describe, expect, it } from '@jest/globals';
import { boxesOf } from './differing-boxes.js';

const SIZE = { width: 1_000, height: 500 };

/** The boxes of a picture that differs in these pixels. */
function boxes(pixels: readonly (readonly [x: number, y: number])[]) {
  const differences = new Uint8Array(SIZE.width * SIZE.height);
  for (const [x, y] of pixels) differences[y * SIZE.width + x] = 1;
  return boxesOf(differences, SIZE);
}

describe(boxesOf.name, () => {
  it('finds none in equal pictures', () => {
    expect(boxes([])).toEqual([]);
  });

  it('joins what touches, also at corners, and keeps apart what does not', () => {
    expect(
      boxes([
        [0, 0],
        [17, 17],
        [200, 300],
      ]),
    ).toEqual([
      { x: 0, y: 0, width: 32, height: 32 },
      { x: 192, y: 288, width: 16, height: 16 },
    ]);
  });

  it('ends at the edge of the picture', () => {
    expect(boxes([[999, 499]])).toEqual([{ x: 992, y: 496, width: 8, height: 4 }]);
  });

  it('gives at most 20 boxes, which hold every difference and do not overlap', () => {
    const pixels = Array.from({ length: 400 }, (_, i) => [(i * 397) % 1_000, (i * 211) % 500] as const);
    const found = boxes(pixels);
    expect(found.length).toBeLessThanOrEqual(20);
    for (const [x, y] of pixels) {
      const holding = found.filter(
        (box) => x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + box.height,
      );
      expect(holding).toHaveLength(1);
    }
  });
});
