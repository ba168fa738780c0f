import { describe, expect, it } from '@jest/globals';
import { coverageOf } from './coverage.js';

const HOUR = 3_600_000;
const at = (hours: number): number => hours * HOUR;

describe(coverageOf, () => {
  it('reads full hours from sums and the ragged ends from rows', () => {
    expect(coverageOf({ from: at(0.5), to: at(5.25) }, at(9), [])).toEqual({
      sums: { from: at(1), to: at(5) },
      rows: [
        { from: at(0.5), to: at(1) },
        { from: at(5), to: at(5.25) },
      ],
    });
  });

  it('reads from rows what is not summed up yet', () => {
    expect(coverageOf({ from: at(1), to: at(9) }, at(6), [])).toEqual({
      sums: { from: at(1), to: at(6) },
      rows: [{ from: at(6), to: at(9) }],
    });
  });

  it('reads a stale hour from its rows, once', () => {
    const { rows } = coverageOf({ from: at(1), to: at(4) }, at(4), [at(0), at(2), at(4)]);
    expect(rows).toEqual([{ from: at(2), to: at(3) }]);
  });

  it('joins neighbours', () => {
    const { rows } = coverageOf({ from: at(0.5), to: at(9) }, at(6), [at(2), at(1), at(5)]);
    expect(rows).toEqual([
      { from: at(0.5), to: at(3) },
      { from: at(5), to: at(9) },
    ]);
  });

  it.each([
    ['lies within one hour', at(1.2), at(1.7), at(9)],
    ['begins after the sums end', at(7), at(9), at(6)],
    ['spans no full hour', at(1.2), at(2.7), at(9)],
  ])('reads only rows when the range %s', (_, from, to, until) => {
    const { sums, rows } = coverageOf({ from, to }, until, [at(1)]);
    expect(sums.from).toBe(sums.to);
    expect(rows).toEqual([{ from, to }]);
  });
});
