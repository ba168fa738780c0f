import { describe, expect, it } from '@jest/globals';
import { isLearntNoise } from './learnt-noise.js';

const SLIDE = { x: 100, y: 100, width: 400, height: 200 };

describe(isLearntNoise, () => {
  it.each([
    ['inside of it', [{ x: 150, y: 150, width: 20, height: 20 }], [SLIDE], true],
    ['a little larger', [{ x: 96, y: 96, width: 408, height: 208 }], [SLIDE], true],
    [
      'in two places of it',
      [SLIDE, { x: 0, y: 0, width: 9, height: 9 }],
      [SLIDE, { x: 0, y: 0, width: 5, height: 5 }],
      true,
    ],
    [
      'over two parts of it',
      [{ x: 110, y: 110, width: 300, height: 100 }],
      [
        { x: 100, y: 100, width: 150, height: 200 },
        { x: 250, y: 100, width: 250, height: 200 },
      ],
      true,
    ],
    ['beside it', [{ x: 600, y: 100, width: 50, height: 20 }], [SLIDE], false],
    ['reaching out of it', [{ x: 400, y: 150, width: 300, height: 20 }], [SLIDE], false],
    ['around it', [{ x: 0, y: 0, width: 1_000, height: 1_000 }], [SLIDE], false],
    ['also elsewhere', [SLIDE, { x: 600, y: 600, width: 10, height: 10 }], [SLIDE], false],
    ['anywhere without noise', [SLIDE], [], false],
    // A text has no places.
    ['nowhere', [], [SLIDE], false],
  ])('says whether a change is noise: %s', (_, changed, noise, expected) => {
    expect(isLearntNoise(changed, noise)).toBe(expected);
  });
});
