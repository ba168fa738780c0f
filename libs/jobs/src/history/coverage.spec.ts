import { describe, expect, it } from '@jest/globals';
import { coverageOf, type Span } from './coverage.js';

const HOUR = 3_600_000;
/** Hours since the epoch; day 0 begins at hour 0. */
const at = (hours: number): number => hours * HOUR;

const covered = (range: Span, until: number, staleHours: number[] = []) =>
  coverageOf(range, { until, staleHours });

describe(coverageOf, () => {
  it('reads full hours from sums, and the incomplete ones at both ends from rows', () => {
    expect(covered({ from: at(0.5), to: at(5.25) }, at(9))).toEqual({
      days: [],
      hours: [{ from: at(1), to: at(5) }],
      rows: [
        { from: at(0.5), to: at(1) },
        { from: at(5), to: at(5.25) },
      ],
    });
  });

  it('reads hours without a sum from rows', () => {
    expect(covered({ from: at(1), to: at(9) }, at(6))).toEqual({
      days: [],
      hours: [{ from: at(1), to: at(6) }],
      rows: [{ from: at(6), to: at(9) }],
    });
  });

  it('reads full days from their sums, and the hours before and after them', () => {
    expect(covered({ from: at(23), to: at(80) }, at(75))).toEqual({
      days: [{ from: at(24), to: at(72) }],
      hours: [
        { from: at(23), to: at(24) },
        { from: at(72), to: at(75) },
      ],
      rows: [{ from: at(75), to: at(80) }],
    });
  });

  it('reads a day with a stale hour from its other hours', () => {
    expect(covered({ from: at(0), to: at(96) }, at(96), [at(30), at(48)])).toEqual({
      days: [
        { from: at(0), to: at(24) },
        { from: at(72), to: at(96) },
      ],
      hours: [
        { from: at(24), to: at(30) },
        { from: at(31), to: at(48) },
        { from: at(49), to: at(72) },
      ],
      rows: [
        { from: at(30), to: at(31) },
        { from: at(48), to: at(49) },
      ],
    });
  });

  it('reads a stale hour from its rows, once', () => {
    const { rows } = covered({ from: at(1), to: at(4) }, at(4), [at(0), at(2), at(4)]);
    expect(rows).toEqual([{ from: at(2), to: at(3) }]);
  });

  it('joins neighbouring spans', () => {
    const { rows } = covered({ from: at(0.5), to: at(9) }, at(6), [at(2), at(1), at(5)]);
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
    expect(covered({ from, to }, until, [at(1)])).toEqual({ days: [], hours: [], rows: [{ from, to }] });
  });
});
