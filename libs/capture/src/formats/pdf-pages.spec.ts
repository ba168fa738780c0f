import { describe, expect, it } from '@jest/globals';
import { pageNumber } from './pdf-pages.js';

describe(pageNumber.name, () => {
  it.each([
    ['', 0, 1],
    ['', 2_000, 2_001],
    ['3', 0, 3],
    ['3', 1, undefined],
    ['5-7', 2, 7],
    ['5-7', 3, undefined],
    ['1-999999', 2_000, 2_001],
    ['11-999999', 2_000, 2_011],
    [' 8 - 9 , 1-2', 0, 1],
    ['8-9,1-2', 2, 8],
    ['8-9,1-2', 4, undefined],
    // A page that two ranges name is printed once.
    ['1-5,3-6', 5, 6],
    ['1-5,3-6', 6, undefined],
    ['1-5,2', 5, undefined],
  ])('of %j after %d others is %s', (ranges, index, page) => {
    expect(pageNumber(ranges, index)).toBe(page);
  });
});
