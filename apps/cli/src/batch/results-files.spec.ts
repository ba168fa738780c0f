import { describe, expect, it } from '@jest/globals';
import { csvOf, ndjsonOf } from './results-files.js';
import type { RowOutcome } from './row-outcome.js';
import { RowOutcomes } from './row-outcomes.js';

const outcome = (fields: Partial<RowOutcome>): RowOutcome => ({
  row: 1,
  reference: null,
  url: null,
  final_url: null,
  status: 'succeeded',
  http_status: null,
  file: null,
  bytes: 0,
  capture_id: 'id',
  error: null,
  ...fields,
});

describe('the results', () => {
  it('have a line for each row', () => {
    const rows = [
      outcome({}),
      outcome({ row: 2, status: 'failed', error: { code: 'x', detail: 'Because.' } }),
    ];
    expect([...csvOf(rows)].slice(1)).toEqual([
      '1,,,,succeeded,,,0,,,id\r\n',
      '2,,,,failed,,,0,x,Because.,id\r\n',
    ]);
    expect([...ndjsonOf(rows)].map((line) => JSON.parse(line) as RowOutcome)).toEqual(rows);
  });

  it.each([
    ['a,b', '"a,b"'],
    ['a"b', '"a""b"'],
    ['a\nb', '"a\nb"'],
    ['=1+1', "'=1+1"],
    ['@x', "'@x"],
    ['-1', "'-1"],
    ['\tx', "'\tx"],
    ['＝1', "'＝1"],
    ['a=1', 'a=1'],
  ])('are safe for spreadsheets: %j', (reference, cell) => {
    expect([...csvOf([outcome({ reference })])][1]).toBe(`1,${cell},,,succeeded,,,0,,,id\r\n`);
  });
});

describe(RowOutcomes.name, () => {
  it('reports each row once, and keeps what the latest batch says', async () => {
    const told: string[] = [];
    const outcomes = new RowOutcomes(async ({ row, status }) => void told.push(`${row} ${status}`));
    await outcomes.add(outcome({ row: 2 }), 0, true);
    await outcomes.add(outcome({ row: 1, status: 'succeeded' }), 1, true);
    // The record of the first batch, which the second one replaced, is read later.
    await outcomes.add(outcome({ row: 1, status: 'failed' }), 0, true);
    await outcomes.add(outcome({ row: 3, status: 'failed' }), 0, false);
    expect(told).toEqual(['2 succeeded', '1 succeeded']);
    expect(outcomes.counts).toEqual({ succeeded: 2, failed: 1, canceled: 0 });
    await outcomes.finish();
    expect(told).toEqual(['2 succeeded', '1 succeeded', '3 failed']);
    expect(outcomes.outcomes().map(({ row }) => row)).toEqual([1, 2, 3]);
    expect(outcomes.ofBatch(0).map(({ row }) => row)).toEqual([2, 3]);
  });
});
