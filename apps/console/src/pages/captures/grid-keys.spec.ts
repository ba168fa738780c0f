import { describe, expect, it } from '@jest/globals';
import { cellAfter } from './grid-keys.js';

const GRID = { columns: 4, count: 10, visibleRows: 3 };

describe('keys in a grid', () => {
  it.each([
    ['ArrowRight', 3, 4],
    ['ArrowLeft', 4, 3],
    ['ArrowDown', 1, 5],
    ['ArrowDown', 7, 9],
    ['ArrowUp', 5, 1],
    ['ArrowUp', 1, 1],
    ['ArrowLeft', 0, 0],
    ['ArrowRight', 9, 9],
    ['PageDown', 1, 9],
    ['PageUp', 9, 1],
    ['PageUp', 3, 0],
    ['Home', 7, 0],
    ['End', 2, 9],
  ])('%s goes from cell %d to %d', (key, from, to) => {
    expect(cellAfter(key, from, GRID)).toBe(to);
  });

  it('leave other keys alone, and an empty grid', () => {
    expect(cellAfter('a', 1, GRID)).toBeUndefined();
    expect(cellAfter('ArrowDown', 0, { ...GRID, count: 0 })).toBeUndefined();
  });
});
