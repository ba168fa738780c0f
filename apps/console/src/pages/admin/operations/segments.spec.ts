import { describe, expect, it } from '@jest/globals';
import { downMs, segmentsOf } from './segments.js';

const PERIOD = { since: '2026-11-20T00:00:00.000Z', until: '2026-11-20T10:00:00.000Z' };
const changeAt = (hour: number, status: 'ok' | 'down', day = 20) => ({
  at: `2026-11-${day}T${String(hour).padStart(2, '0')}:00:00.000Z`,
  status,
  error: status === 'ok' ? null : 'does not respond',
});

describe(segmentsOf.name, () => {
  it('has one for each state, the first of which began before the period', () => {
    const segments = segmentsOf([changeAt(5, 'ok', 19), changeAt(2, 'down'), changeAt(4, 'ok')], PERIOD);
    expect(segments.map(({ status, left, width }) => [status, left, width])).toEqual([
      ['ok', 0, 0.2],
      ['down', 0.2, 0.2],
      ['ok', 0.4, 0.6],
    ]);
    expect(downMs(segments)).toBe(2 * 3_600_000);
  });

  it('does not know how it was before the first change', () => {
    const segments = segmentsOf([changeAt(5, 'down')], PERIOD);
    expect(segments.map(({ status, width }) => [status, width])).toEqual([
      ['unknown', 0.5],
      ['down', 0.5],
    ]);
    expect(segmentsOf([], PERIOD)).toMatchObject([{ status: 'unknown', width: 1 }]);
  });
});
