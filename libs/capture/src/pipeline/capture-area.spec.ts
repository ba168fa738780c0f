import { describe, expect, it } from '@jest/globals';
import { boxArea, croppedArea, MAX_PIXELS, MAX_SIDE } from './capture-area.js';

const scale = { zoom: 1, density: 1, maxSide: MAX_SIDE };
const box = { x: 10, y: 20, width: 1_000, height: 500 };

describe(boxArea.name, () => {
  it('has the size of the image in device px', () => {
    expect(boxArea(box, { ...scale, density: 1.5 })).toEqual({
      clip: { ...box, scale: 1 },
      width: 1_500,
      height: 750,
      truncated: false,
    });
  });

  it('keeps the zoom of a page that is zoomed out', () => {
    expect(boxArea(box, { ...scale, zoom: 0.4, density: 2 })).toMatchObject({
      clip: { scale: 0.4 },
      width: 800,
    });
  });

  it.each([
    [{ ...box, width: MAX_SIDE + 1 }, 'side'],
    [{ ...box, width: 20_000, height: 5_001 }, 'megapixels'],
  ])('refuses a box that no image can hold', (tooLarge, word) => {
    expect(() => boxArea(tooLarge, scale)).toThrow(word);
  });
});

describe(croppedArea.name, () => {
  it('leaves a box that fits unchanged, to the last px', () => {
    const fitting = { ...box, height: MAX_SIDE };
    expect(croppedArea(fitting, scale)).toMatchObject({ height: MAX_SIDE, truncated: false });
    expect(croppedArea({ ...fitting, height: MAX_SIDE + 1 }, scale)).toMatchObject({
      height: MAX_SIDE,
      truncated: true,
    });
  });

  it.each([
    [1, 2_000],
    [1.5, 1_280],
    [4, 390],
    [0.5, 7_680],
  ])('cuts to the pixels an image may have at density %d and width %d', (density, width) => {
    const frame = croppedArea({ ...box, width, height: 300_000 }, { ...scale, density });
    expect(frame.truncated).toBe(true);
    expect(frame.width * frame.height).toBeLessThanOrEqual(MAX_PIXELS * 1.001);
    expect(frame.height).toBeLessThanOrEqual(MAX_SIDE);
    expect(Math.max((frame.width * frame.height) / MAX_PIXELS, frame.height / MAX_SIDE)).toBeGreaterThan(
      0.99,
    );
  });

  it('cuts to the maximum side of the format', () => {
    const frame = croppedArea({ ...box, height: 20_000 }, { ...scale, maxSide: 16_383 });
    expect(frame).toMatchObject({ clip: { height: 16_383 }, height: 16_383, truncated: true });
  });
});
