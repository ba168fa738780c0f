import { describe, expect, it } from '@jest/globals';
import { phaseBars } from './phases.js';

const NONE = { queue_ms: 0, prepare_ms: 0, navigate_ms: 0, settle_ms: 0, render_ms: 0, store_ms: 0 };

describe('the bars of the phases', () => {
  it('follow each other and fill the whole time', () => {
    const timings = { ...NONE, queue_ms: 100, navigate_ms: 200, render_ms: 100, total_ms: 400 };
    const bars = phaseBars(timings).map(({ left, width }) => [left, width]);
    expect(bars).toEqual([
      [0, 25],
      [25, 0],
      [25, 50],
      [75, 0],
      [75, 25],
      [100, 0],
    ]);
  });

  it('stay within the scale when the rounded phases are longer than the whole', () => {
    const last = phaseBars({ ...NONE, queue_ms: 6, store_ms: 6, total_ms: 10 }).at(-1);
    expect((last?.left ?? 0) + (last?.width ?? 0)).toBeLessThanOrEqual(100);
  });

  it('have no length without any time', () => {
    expect(phaseBars({ ...NONE, total_ms: 0 }).every(({ width }) => width === 0)).toBe(true);
  });
});
