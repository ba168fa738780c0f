import { describe, expect, it } from '@jest/globals';
import { countChanged } from './count-changed.js';

const pixels = (...values: number[]) => Uint8ClampedArray.from(values);

describe('the pixels that differ', () => {
  it('are counted once, whichever channel differs', () => {
    const a = pixels(0, 0, 0, 255, 0, 0, 0, 255, 10, 10, 10, 255);
    const b = pixels(255, 255, 255, 255, 0, 0, 0, 0, 10, 10, 10, 255);
    expect(countChanged(a, b)).toBe(2);
  });

  it('do not include what cannot be seen', () => {
    expect(countChanged(pixels(100, 100, 100, 255), pixels(108, 92, 100, 255))).toBe(0);
    expect(countChanged(pixels(100, 100, 100, 255), pixels(109, 100, 100, 255))).toBe(1);
  });
});
