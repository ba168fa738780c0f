import { describe, expect, it } from '@jest/globals';
import { plainCsv, textOfFile } from './plain-csv.js';

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const utf16 = (text: string): Uint8Array => Uint8Array.from(Buffer.from(`\ufeff${text}`, 'utf16le'));
const plain = (bytes: Uint8Array): string => new TextDecoder().decode(plainCsv(bytes));

describe('a CSV as people have it', () => {
  it("is read in Excel's UTF-16, in both orders of bytes", () => {
    const little = utf16('url\treference\r\na\tü');
    expect(textOfFile(little)).toBe('url\treference\r\na\tü');
    expect(plain(little)).toBe('url\treference\r\na\tü');
    expect(plain(Uint8Array.from(Buffer.from(little).swap16()))).toBe('url\treference\r\na\tü');
  });

  it("loses Excel's line of the separator", () => {
    expect(plain(utf8('sep=;\r\nurl;reference\r\na;b'))).toBe('url;reference\r\na;b');
  });

  it('gets a header if the first line is a row', () => {
    expect(plain(utf8('\ufeffhttps://a.example,home\nhttps://b.example,shop'))).toBe(
      'url,column 2\nhttps://a.example,home\nhttps://b.example,shop',
    );
  });

  it.each(['url,reference\na,b', '', '\ufeffurl;reference\r\na;b'])('stays as it is: %j', (text) => {
    const bytes = utf8(text);
    expect(plainCsv(bytes)).toBe(bytes);
  });

  it('stays as it is if it is no text', () => {
    const bytes = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0);
    expect(plainCsv(bytes)).toBe(bytes);
  });
});
