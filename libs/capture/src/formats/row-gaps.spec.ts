import { describe, expect, it } from '@jest/globals';
import { findGap, type DecodedRows } from './row-gaps.js';

/** A picture of one channel whose rows are drawn with characters: equal ones have the same colour. */
function drawn(rows: readonly string[]): DecodedRows {
  const width = rows[0]?.length ?? 0;
  return { top: 100, rows: rows.length, width, channels: 1, pixels: Buffer.from(rows.join('')) };
}

const rows = (count: number, row: string): string[] => Array.from({ length: count }, () => row);
const TEXT = ['..a.bb..c.', '.a..b.c.c.', '.aa.b..cc.', 'a.a.bb.c..'];

const cutOf = (all: readonly string[], wanted = 100 + Math.floor(all.length / 2)): number | undefined =>
  findGap(drawn(all), { from: 100, to: 100 + all.length, wanted });

describe(findGap.name, () => {
  it('finds nothing where every row differs from the one above', () => {
    expect(cutOf([...TEXT, ...TEXT])).toBeUndefined();
  });

  it('finds the middle of a small gap', () => {
    expect(cutOf([...TEXT, ...rows(4, '..........'), ...TEXT])).toBe(106);
  });

  it('prefers the larger gap to the nearer one', () => {
    const all = [...TEXT, ...rows(3, '..........'), ...TEXT, ...rows(9, '..........'), ...TEXT];
    expect(cutOf(all, 105)).toBe(115);
  });

  it('stays near the wanted row in a large gap, and away from its ends', () => {
    const all = [...TEXT, ...rows(100, '..........'), ...TEXT];
    expect(cutOf(all, 150)).toBe(150);
    expect(cutOf(all, 101)).toBe(112);
    expect(cutOf(all, 207)).toBe(196);
  });

  it('sees a gap beside a border, and one on a background that changes from row to row', () => {
    const framed = (row: string): string => `|${row}|`;
    expect(cutOf([...TEXT, ...rows(4, '..........'), ...TEXT].map(framed))).toBe(106);
    const gradient = ['aaaaaaaaaa', 'bbbbbbbbbb', 'cccccccccc', 'dddddddddd'];
    expect(cutOf([...TEXT, ...gradient, ...TEXT])).toBe(106);
  });

  it('does not take the stems of letters for a gap', () => {
    const stems = rows(12, '...II.....');
    expect(cutOf([...TEXT, ...rows(3, '..........'), ...stems, ...TEXT], 113)).toBe(106);
  });
});
