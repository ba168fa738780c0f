import { describe, expect, it } from '@jest/globals';
import { continueNoise } from './noise-boxes.js';

/** The last digits of a counter. */
const DIGITS = { x: 100, y: 50, width: 16, height: 12 };

describe(continueNoise, () => {
  it.each([
    ['the digits before them', { x: 60, y: 50, width: 56, height: 12 }],
    ['a digit beside them', { x: 118, y: 50, width: 7, height: 12 }],
    ['an edge of them', { x: 98, y: 47, width: 20, height: 18 }],
  ])('takes %s for noise', (_, box) => {
    expect(continueNoise([DIGITS], [box])).toEqual([DIGITS, box]);
  });

  it.each([
    ['another word of the line', { x: 20, y: 50, width: 60, height: 12 }],
    ['a whole line', { x: 0, y: 50, width: 800, height: 12 }],
    ['a paragraph', { x: 60, y: 40, width: 56, height: 80 }],
  ])('takes %s for a change', (_, box) => {
    expect(continueNoise([DIGITS], [box])).toEqual([DIGITS]);
  });

  it('takes what is in a row of noise for noise, and not what is beside it', () => {
    const cards = [0, 120, 360, 480].map((x) => ({ x, y: 50, width: 60, height: 30 }));
    const [third, below] = [
      { x: 240, y: 52, width: 60, height: 28 },
      { x: 240, y: 90, width: 60, height: 12 },
    ];
    expect(continueNoise(cards, [third, below])).toEqual([...cards, third]);
    expect(continueNoise(cards.slice(0, 2), [third])).toEqual(cards.slice(0, 2));
  });

  it('finds no noise where there is none', () => {
    expect(continueNoise([], [DIGITS])).toEqual([]);
  });
});
