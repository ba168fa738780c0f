import { describe, expect, it } from '@jest/globals';
import { scaleOf, stepFrom, wheelScale } from './zoom.js';

const TALL = { width: 1_280, height: 20_000 };
const VIEW = { width: 640, height: 500 };

describe('the zoom of a picture', () => {
  it('fits the width, or all of the picture', () => {
    expect(scaleOf('width', TALL, VIEW)).toBe(0.5);
    expect(scaleOf('whole', TALL, VIEW)).toBe(0.025);
    expect(scaleOf(2, TALL, VIEW)).toBe(2);
  });

  it('does not enlarge a small picture to fit', () => {
    expect(scaleOf('width', { width: 100, height: 50 }, VIEW)).toBe(1);
  });

  it.each([
    [0.5, 1, 0.67],
    [0.44, 1, 0.5],
    [0.44, -1, 0.33],
    [1, -1, 0.75],
    [8, 1, 8],
    [0.025, -1, 0.05],
  ] as const)('goes from %d in direction %d to %d', (from, direction, to) => {
    expect(stepFrom(from, direction)).toBe(to);
  });

  it('follows the wheel within its limits', () => {
    expect(wheelScale(1, -120)).toBeGreaterThan(1);
    expect(wheelScale(1, 120)).toBeLessThan(1);
    expect(wheelScale(8, -10_000)).toBe(8);
    expect(wheelScale(0.1, 10_000)).toBe(0.05);
  });
});
