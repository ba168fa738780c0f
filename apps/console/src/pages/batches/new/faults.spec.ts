import { describe, expect, it } from '@jest/globals';
import { CaptureError, type Problem } from '@capture-service/client';
import { cellReader, columnFaults, matching, rowFaults } from './faults.js';
import { csvSource, rowsSource } from './sources.js';

const ERRORS = [
  { pointer: 'url', column: 'url', row: 2, line: 3, code: 'invalid_url', detail: 'is not a URL' },
  { pointer: '', row: 3, line: 4, code: 'wrong_cell_count', detail: 'has 1 cell' },
  { pointer: 'webhook_url', code: 'invalid_url', detail: 'is not a URL' },
];

describe('faults of a dry run', () => {
  it('are those of rows, with the value that is wrong', () => {
    const source = csvSource('a.csv', new TextEncoder().encode('link,x\na,1\nb,2\nc\n'));
    expect(rowFaults(ERRORS, cellReader(source, ['url', null]))).toEqual([
      { row: 2, line: 3, column: 'url', value: 'b', code: 'invalid_url', detail: 'is not a URL' },
      { row: 3, line: 4, column: '', value: '', code: 'wrong_cell_count', detail: 'has 1 cell' },
    ]);
  });

  it('have the values of rows in JSON as they are written there', () => {
    const read = cellReader(rowsSource('rows', [{ url: 'a', viewport_width: 0, full_page: null }]), []);
    expect([read(1, 'url'), read(1, 'viewport_width'), read(1, 'full_page'), read(2, 'url')]).toEqual([
      'a',
      '0',
      'null',
      '',
    ]);
  });

  it('are those of columns when the header is refused', () => {
    const errors = [{ pointer: 'link', column: 'link', code: 'unknown_field', detail: 'is not an option' }];
    const problem = { type: '', title: '', status: 400, code: 'invalid_csv', detail: 'x', errors } as Problem;
    const error = new CaptureError({ code: 'invalid_csv', detail: 'x', problem });
    expect([...columnFaults(error)]).toEqual([['link', 'is not an option']]);
    expect(columnFaults(new Error('x')).size).toBe(0);
  });

  it('are found by any of their words', () => {
    const faults = rowFaults(ERRORS, () => 'HTTPS://Shop');
    expect(matching(faults, ' shop')).toHaveLength(2);
    expect(matching(faults, 'cell').map(({ row }) => row)).toEqual([3]);
    expect(matching(faults, '2').map(({ row }) => row)).toEqual([2]);
    expect(matching(faults, '')).toBe(faults);
  });
});
