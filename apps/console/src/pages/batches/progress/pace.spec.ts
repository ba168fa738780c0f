import { describe, expect, it } from '@jest/globals';
import { elapsedMs, rowsPerMinute, withSample, type Sample } from './pace.js';

const after = (times: readonly (readonly [seconds: number, ended: number])[]): readonly Sample[] =>
  times.reduce<readonly Sample[]>(
    (samples, [seconds, ended]) => withSample(samples, { atMs: seconds * 1_000, ended }),
    [],
  );

describe('the pace of a batch', () => {
  it('is unknown until some seconds have been seen', () => {
    expect(rowsPerMinute([])).toBeNull();
    expect(rowsPerMinute(after([[0, 5]]))).toBeNull();
    const burst = [
      [0, 0],
      [2, 50],
    ] as const;
    expect(rowsPerMinute(after(burst))).toBeNull();
  });

  it('is that of the rows that ended while it was watched', () => {
    const minute = [
      [0, 100],
      [10, 120],
      [30, 160],
    ] as const;
    expect(rowsPerMinute(after(minute))).toBe(120);
  });

  it('is that of the latest minute', () => {
    const slower = [
      [0, 0],
      [60, 600],
      [70, 610],
      [130, 670],
    ] as const;
    expect(rowsPerMinute(after(slower))).toBe(60);
    expect(after(slower)).toHaveLength(2);
  });

  it('is 0 when nothing ends', () => {
    const stuck = [
      [0, 10],
      [60, 10],
      [119, 10],
    ] as const;
    expect(rowsPerMinute(after(stuck))).toBe(0);
  });
});

describe('the elapsed time', () => {
  it('is counted from the first row that was started to the end', () => {
    const from = '2026-11-22T12:00:00Z';
    const now = Date.parse('2026-11-22T12:01:00Z');
    expect(elapsedMs({ started_at: null, finished_at: null }, now)).toBeNull();
    expect(elapsedMs({ started_at: from, finished_at: null }, now)).toBe(60_000);
    expect(elapsedMs({ started_at: from, finished_at: '2026-11-22T12:00:05Z' }, now)).toBe(5_000);
  });
});
