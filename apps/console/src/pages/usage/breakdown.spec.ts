import { describe, expect, it } from '@jest/globals';
import type { UsageDay, UsageDays } from '@capture-service/client';
import { codeLayers, sourceLayers, valueOf } from './breakdown.js';

function usageOf(codes: readonly Record<string, number>[]): UsageDays {
  const counts = { total: 0, used: 0, charged: 0, in_progress: 0, cached: 0, failed: 0, canceled: 0 };
  const days: UsageDay[] = codes.map((code, i) => ({
    ...counts,
    day: `2026-11-0${i + 1}`,
    charged_by_source: { sync: i, job: 10, batch: 0 },
    error_code: code,
  }));
  const sum: Record<string, number> = {};
  for (const [code, n] of codes.flatMap((each) => Object.entries(each))) sum[code] = (sum[code] ?? 0) + n;
  const range = { from: '2026-11-01', to: '2026-11-09', counted_until: '2026-11-09T00:00:00.000Z' };
  return { ...counts, ...range, charged_by_source: { sync: 0, job: 0, batch: 0 }, error_code: sum, days };
}

describe('the breakdown of the usage', () => {
  it('has a layer for each source, also for one without captures', () => {
    const layers = sourceLayers(usageOf([{}, {}, {}]));
    expect(layers.map(({ key, values }) => [key, values])).toEqual([
      ['sync', [0, 1, 2]],
      ['job', [10, 10, 10]],
      ['batch', [0, 0, 0]],
    ]);
    expect(layers.map((layer) => [valueOf(layer, 1), valueOf(layer, null)])).toEqual([
      [1, 3],
      [10, 30],
      [0, 0],
    ]);
  });

  it('has the most frequent codes first', () => {
    const layers = codeLayers(usageOf([{ internal: 1 }, { capture_timeout: 3, internal: 1 }]));
    expect(layers.map(({ key, values }) => [key, values])).toEqual([
      ['capture_timeout', [0, 3]],
      ['internal', [1, 1]],
    ]);
  });

  it('puts rare codes together, and never only one', () => {
    const six = { a: 9, b: 8, c: 7, d: 6, e: 5, f: 4 };
    expect(codeLayers(usageOf([six])).map(({ key }) => key)).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    const layers = codeLayers(
      usageOf([
        { ...six, g: 3 },
        { f: 1, g: 1 },
      ]),
    );
    expect(layers.at(-1)).toMatchObject({ label: '2 other codes', values: [7, 2] });
    expect(layers).toHaveLength(6);
  });

  it('has no layers without failures', () => {
    expect(codeLayers(usageOf([{}]))).toEqual([]);
  });
});
