import { describe, expect, it } from '@jest/globals';
import { coverageOf, type Span } from './coverage.js';

const HOUR = 3_600_000;
/** Hours since the epoch; day 0 begins at hour 0. */
const atHour = (hours: number): number => hours * HOUR;

const covered = (range: Span, until: number, staleHours: number[] = []) =>
  coverageOf(range, { until, staleHours });

describe(coverageOf, () => {
  it('reads full hours from sums, and the incomplete ones at both ends from rows', () => {
    expect(covered({ from: atHour(0.5), to: atHour(5.25) }, atHour(9))).toEqual({
      days: [],
      hours: [{ from: atHour(1), to: atHour(5) }],
      rows: [
        { from: atHour(0.5), to: atHour(1) },
        { from: atHour(5), to: atHour(5.25) },
      ],
    });
  });

  it('reads hours without a sum from rows', () => {
    expect(covered({ from: atHour(1), to: atHour(9) }, atHour(6))).toEqual({
      days: [],
      hours: [{ from: atHour(1), to: atHour(6) }],
      rows: [{ from: atHour(6), to: atHour(9) }],
    });
  });

  it('reads full days from their sums, and the hours before and after them', () => {
    expect(covered({ from: atHour(23), to: atHour(80) }, atHour(75))).toEqual({
      days: [{ from: atHour(24), to: atHour(72) }],
      hours: [
        { from: atHour(23), to: atHour(24) },
        { from: atHour(72), to: atHour(75) },
      ],
      rows: [{ from: atHour(75), to: atHour(80) }],
    });
  });

  it('reads a day with a stale hour from its other hours', () => {
    expect(covered({ from: atHour(0), to: atHour(96) }, atHour(96), [atHour(30), atHour(48)])).toEqual({
      days: [
        { from: atHour(0), to: atHour(24) },
        { from: atHour(72), to: atHour(96) },
      ],
      hours: [
        { from: atHour(24), to: atHour(30) },
        { from: atHour(31), to: atHour(48) },
        { from: atHour(49), to: atHour(72) },
      ],
      rows: [
        { from: atHour(30), to: atHour(31) },
        { from: atHour(48), to: atHour(49) },
      ],
    });
  });

  it('reads a stale hour from its rows, once', () => {
    const { rows } = covered({ from: atHour(1), to: atHour(4) }, atHour(4), [
      atHour(0),
      atHour(2),
      atHour(4),
    ]);
    expect(rows).toEqual([{ from: atHour(2), to: atHour(3) }]);
  });

  it('joins neighbouring spans', () => {
    const { rows } = covered({ from: atHour(0.5), to: atHour(9) }, atHour(6), [
      atHour(2),
      atHour(1),
      atHour(5),
    ]);
    expect(rows).toEqual([
      { from: atHour(0.5), to: atHour(3) },
      { from: atHour(5), to: atHour(9) },
    ]);
  });

  it.each([
    ['lies within one hour', atHour(1.2), atHour(1.7), atHour(9)],
    ['begins after the sums end', atHour(7), atHour(9), atHour(6)],
    ['spans no full hour', atHour(1.2), atHour(2.7), atHour(9)],
  ])('reads only rows when the range %s', (_, from, to, until) => {
    expect(covered({ from, to }, until, [atHour(1)])).toEqual({ days: [], hours: [], rows: [{ from, to }] });
  });
});
