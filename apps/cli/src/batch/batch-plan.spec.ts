import { describe, expect, it } from '@jest/globals';
import { planOf } from './batch-plan.js';
import { rowsOf, type ListFile, type SourceRow } from './source-rows.js';

const json = (count: number, item: unknown = { url: 'x' }): SourceRow[] =>
  Array.from({ length: count }, (_, i) => ({ kind: 'json', row: i + 1, file: 'a.txt', line: i + 1, item }));

const csv = (name: string, text: string): ListFile => ({
  name,
  bytes: Buffer.from(text, 'latin1'),
  format: 'csv',
});

const sizes = (rows: readonly SourceRow[], defaultBytes = 0): number[] =>
  planOf(rows, defaultBytes).map((submission) => submission.rows.length);

describe(planOf.name, () => {
  it('divides rows into batches of at most 10,000', () => {
    expect(sizes(json(10_000))).toEqual([10_000]);
    expect(sizes(json(25_000))).toEqual([10_000, 10_000, 5_000]);
    expect(planOf(json(10_001), 0)[1]).toMatchObject({
      kind: 'json',
      rows: [{ row: 10_001 }],
      items: [{ url: 'x' }],
    });
  });

  it('divides rows into batches of at most 10 MB, with the options of all rows', () => {
    const rows = json(12, { html: 'ä'.repeat(500_000) });
    expect(sizes(rows)).toEqual([10, 2]);
    expect(sizes(rows, 1_000_000)).toEqual([9, 3]);
    for (const submission of planOf(rows, 0)) {
      expect(
        Buffer.byteLength(JSON.stringify({ items: submission.kind === 'json' && submission.items })),
      ).toBeLessThan(10_485_760);
    }
  });

  it('keeps the bytes of a CSV, under its header', () => {
    const rows = rowsOf([csv('a.csv', 'url,reference\r\nu1,"\xe4\nb"\r\n\r\nu2,\r\n')]);
    const [submission, ...others] = planOf(rows, 0);
    expect(others).toEqual([]);
    expect(submission?.kind === 'csv' && Buffer.from(submission.csv).toString('latin1')).toBe(
      'url,reference\nu1,"\xe4\nb"\nu2,\n',
    );
  });

  it('makes a batch of each CSV, because their columns differ', () => {
    const rows = rowsOf([
      csv('a.csv', 'url\nu1\nu2'),
      csv('b.csv', 'url\nu3'),
      { ...csv('c', 'u4'), format: 'text' },
    ]);
    expect(sizes(rows)).toEqual([2, 1, 1]);
  });

  it('refuses a row that is too large for a batch, and names its place', () => {
    expect(() => planOf(json(1, { html: 'x'.repeat(11_000_000) }), 0)).toThrow(
      /^Row 1 \(line 1\) of a.txt has 110\d+ bytes; a batch has at most 10485760\.$/,
    );
  });
});
