import { describe, expect, it } from '@jest/globals';
import { formatOf } from './read-lists.js';
import { rowsOf, UnreadableListError, type ListFormat } from './source-rows.js';

const ONE = 'https://example.com/1';
const TWO = 'https://example.com/2';

function read(text: string | Buffer, format?: ListFormat) {
  const bytes = Buffer.from(text);
  return rowsOf([{ name: 'list', bytes, format: format ?? formatOf('list', bytes) }]);
}

const itemsOf = (text: string | Buffer, format?: ListFormat): unknown[] =>
  read(text, format).map((row) => (row.kind === 'json' ? row.item : row.text));
const linesOf = (text: string, format?: ListFormat): unknown[] => read(text, format).map(({ line }) => line);

describe(formatOf.name, () => {
  it.each([
    ['rows.csv', 'x', 'csv'],
    ['rows.TSV', 'x', 'csv'],
    ['rows.json', 'x', 'json'],
    ['rows.ndjson', 'x', 'json'],
    ['rows.jsonl', 'x', 'json'],
    ['urls.txt', ONE, 'text'],
    ['urls.txt', `\n\n# of url,format\n${ONE}`, 'text'],
    ['-', `${ONE}/a,b;c\n`, 'text'],
    ['-', `reference;url\na;${ONE}`, 'csv'],
    ['-', `\ufeff"url"\n${ONE}`, 'csv'],
    ['-', `html\n<p>`, 'csv'],
    ['-', `\n [{"url":"x"}]`, 'json'],
    ['-', `{"url":"x"}`, 'json'],
    ['-', '', 'text'],
  ])('recognizes %s with %j', (name, text, expected) => {
    expect(formatOf(name, Buffer.from(text))).toBe(expected);
  });
});

describe(rowsOf.name, () => {
  it('reads a URL from each line of a text, without comments and blank lines', () => {
    const text = `\ufeff# comment\r\n\r\n  ${ONE}#fragment  \r\n#${TWO}\n${TWO}`;
    expect(itemsOf(text)).toEqual([{ url: `${ONE}#fragment` }, { url: TWO }]);
    expect(linesOf(text)).toEqual([3, 5]);
  });

  it('reads JSON: an array, lines, or one object', () => {
    expect(itemsOf(`[{"url":"${ONE}","full_page":true},"${TWO}"]`)).toEqual([
      { url: ONE, full_page: true },
      { url: TWO },
    ]);
    expect(itemsOf(`{"url":"${ONE}"}\n\n"${TWO}"\n`, 'json')).toEqual([{ url: ONE }, { url: TWO }]);
    expect(linesOf(`{"url":"${ONE}"}\n\n"${TWO}"\n`, 'json')).toEqual([1, 3]);
    expect(itemsOf(`{\n"url":"${ONE}"\n}`)).toEqual([{ url: ONE }]);
    // What a row may be is for the service to say.
    expect(itemsOf('[5, null, {"urll": 1}]')).toEqual([5, null, { urll: 1 }]);
  });

  it('splits a CSV into records without changing a byte of them', () => {
    const csv = Buffer.from(`\ufeffurl,reference\r\n${ONE},"a\r\n""b"""\r\n\r\n${TWO},\xe4\n`, 'latin1');
    expect(itemsOf(csv, 'csv')).toEqual([`${ONE},"a\r\n""b"""`, `${TWO},ä`]);
    const rows = read(csv, 'csv');
    expect(rows.map(({ row, line }) => [row, line])).toEqual([
      [1, 2],
      [2, 5],
    ]);
    expect(rows[0]).toMatchObject({ header: { text: '\xffurl,reference', line: 1 } });
  });

  it.each(['\n', '\r\n', '\r'])('counts the lines of a CSV that end in %j', (end) => {
    const csv = ['', 'url', ONE, '', `"${end}"`, TWO].join(end);
    expect(linesOf(csv, 'csv')).toEqual([3, 5, 7]);
  });

  it('leaves a quote that is never closed to the service', () => {
    expect(itemsOf(`url\n${ONE}\n"${TWO}\n${ONE}\n`, 'csv')).toEqual([ONE, `"${TWO}\n${ONE}\n`]);
  });

  it('numbers the rows over all files', () => {
    const files = [
      { name: 'a.txt', bytes: Buffer.from(`${ONE}\n${TWO}`), format: 'text' as const },
      { name: 'b.csv', bytes: Buffer.from(`url\n${ONE}`), format: 'csv' as const },
    ];
    expect(rowsOf(files).map(({ row, file, line }) => `${row} ${file}:${line}`)).toEqual([
      '1 a.txt:1',
      '2 a.txt:2',
      '3 b.csv:2',
    ]);
  });

  it.each([
    ['text', Buffer.from([0xff, 0xfe, 0x68, 0]), 'list is not text in UTF-8.'],
    ['text', Buffer.from('a\0b'), 'list is not text in UTF-8.'],
    ['json', Buffer.from('[{"url":'), 'list is not valid JSON'],
    ['json', Buffer.from('{"url":"x"}\nurl\n'), 'Line 2 of list is not valid JSON'],
  ] as const)('refuses %s that cannot be read', (format, bytes, message) => {
    expect(() => rowsOf([{ name: 'list', bytes, format }])).toThrow(UnreadableListError);
    expect(() => rowsOf([{ name: 'list', bytes, format }])).toThrow(message);
  });

  it('reads no rows from an empty file', () => {
    for (const format of ['text', 'csv', 'json'] as const) {
      for (const text of [
        '',
        '\n',
        ...(format === 'json' ? ['[]'] : ['\ufeff']),
        ...(format === 'csv' ? ['url'] : []),
      ])
        expect(itemsOf(text, format)).toEqual([]);
    }
  });
});
