import { describe, expect, it } from '@jest/globals';
import { jsonLinesOf, kindOfText, urlsOf } from './sources.js';

describe('texts of rows', () => {
  it('have a URL in each line, with a scheme, without blank lines and comments', () => {
    expect(urlsOf('# shop\r\nhttps://a.example/ \n\n  b.example\n')).toEqual([
      { url: 'https://a.example/' },
      { url: 'https://b.example' },
    ]);
  });

  it('have a JSON object in each line', () => {
    expect(jsonLinesOf('{"url":"a"}\n\n{"html":"b","format":null}')).toEqual([
      { url: 'a' },
      { html: 'b', format: null },
    ]);
    expect(() => jsonLinesOf('{"url":"a"}\n\n["b"]')).toThrow('Line 3 is not a JSON object.');
    expect(() => jsonLinesOf('{"url"')).toThrow('Line 1 is not a JSON object.');
  });

  it.each([
    ['https://a.example/x?y=1,2\nhttps://b.example', '', 'urls'],
    ['# pages\nhttps://a.example', '', 'urls'],
    ['a.example/x\nb.example', '', 'urls'],
    ['a.example,home', '', 'csv'],
    ['https://a.example,home', 'pages.csv', 'csv'],
    ['https://a.example/@1,2', 'pages.txt', 'urls'],
    ['url\nhttps://a.example', '', 'csv'],
    ['https://a.example;home', '', 'csv'],
    ['\ufeff{"url":"a"}', '', 'json lines'],
    ['url', 'rows.NDJSON', 'json lines'],
  ])('are told apart: %j', (text, name, kind) => {
    expect(kindOfText(text, name)).toBe(kind);
  });
});
