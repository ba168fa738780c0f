import { describe, expect, it } from '@jest/globals';
import { delimiterOf, readTable, rewriteTable } from './csv-table.js';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('a CSV in the browser', () => {
  it('is read with quotes, a byte order mark, any line end, and blank lines between its rows', () => {
    expect(readTable(bytes('\ufeffurl, note\r\n\r\na,"b, ""c""\nd"\re,f\n'))).toEqual({
      columns: ['url', 'note'],
      rows: [
        ['a', 'b, "c"\nd'],
        ['e', 'f'],
      ],
    });
  });

  it.each([
    ['url,reference;x,y', ','],
    ['url;reference', ';'],
    ['\n\nurl\treference', '\t'],
    ['"a;b;c",url', ','],
    ['url', ','],
    ['a,b\nc;d;e;f', ','],
  ])('has the separator of its first line: %j', (text, delimiter) => {
    expect(delimiterOf(text)).toBe(delimiter);
  });

  it.each([
    ['other bytes than UTF-8', new Uint8Array([0x75, 0xff, 0xfe])],
    ['a quote that never ends', bytes('url\n"a')],
    ['nothing', bytes('')],
  ])('is not shown if it has %s', (_, content) => {
    expect(readTable(content)).toBeNull();
  });

  it('is written with other names and without the columns that are left out', () => {
    const table = readTable(bytes('link,notes,width\n"a,b",x,1\nc,y,2\n')) ?? { columns: [], rows: [] };
    expect(rewriteTable(table, ['url', null, 'viewport_width'])).toBe('url,viewport_width\n"a,b",1\nc,2\n');
  });

  it('keeps the number of each row, and the fault of a row that has too few or too many cells', () => {
    const table = readTable(bytes('link,notes\na\nb,x,y\nc,z\n')) ?? { columns: [], rows: [] };
    const again = readTable(bytes(rewriteTable(table, ['url', null])));
    expect(again?.rows.map((row) => row.length)).toEqual([2, 2, 1]);
    const both = readTable(bytes(rewriteTable(table, ['url', 'reference'])));
    expect(both?.rows.map((row) => row.length)).toEqual([1, 3, 2]);
  });

  it('keeps a row of empty cells, which has a number', () => {
    const table = readTable(bytes('link,notes\n,\nb,x\n')) ?? { columns: [], rows: [] };
    expect(readTable(bytes(rewriteTable(table, ['url', null])))?.rows).toHaveLength(2);
  });
});
