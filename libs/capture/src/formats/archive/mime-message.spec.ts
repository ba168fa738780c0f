import { describe, expect, it } from '@jest/globals';
import { MimeMessage, quotedPrintable } from './mime-message.js';

const encode = (text: string, column = 0): string =>
  quotedPrintable(Buffer.from(text, 'utf8'), column).bytes.toString('latin1');

/** Decodes as RFC 2045 says. */
const decode = (text: string): string =>
  Buffer.from(
    text
      .replace(/[ \t]+$/gm, '')
      .replace(/=\r\n/g, '')
      .replace(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(parseInt(code, 16))),
    'latin1',
  ).toString('utf8');

describe(quotedPrintable.name, () => {
  it.each([
    ['plain', 'plain'],
    ['a=b', 'a=3Db'],
    ['ä\u0000\t', '=C3=A4=00=09'],
    ['a \nb\t\n c', 'a=20\r\nb=09\r\n c'],
    ['a\rb', 'a=0Db'],
    ['x'.repeat(80), `${'x'.repeat(75)}=\r\n${'x'.repeat(5)}`],
    ['='.repeat(30), `${'=3D'.repeat(25)}=\r\n${'=3D'.repeat(5)}`],
  ])('encodes %j', (text, expected) => {
    expect(encode(text)).toBe(expected);
  });

  it('goes on in the column where it stopped', () => {
    const first = quotedPrintable(Buffer.from('x'.repeat(70)), 0);
    expect(first.column).toBe(70);
    expect(encode('y'.repeat(10), first.column)).toBe(`${'y'.repeat(5)}=\r\n${'y'.repeat(5)}`);
  });

  it('has short lines of plain characters that are decoded to the same text', () => {
    const text = Array.from({ length: 5_000 }, (_, i) => String.fromCodePoint((i * 7_919) % 0xd800)).join('');
    const encoded = encode(text);
    expect(Math.max(...encoded.split('\r\n').map(({ length }) => length))).toBeLessThanOrEqual(76);
    expect(encoded).toMatch(/^[\t\r\n -~]*$/);
    expect(decode(encoded).replaceAll('\r\n', '\n')).toBe(text);
  });
});

describe(MimeMessage.name, () => {
  const head = { title: 'Title', url: 'https://example.com/', date: new Date(0) };
  const part = { type: 'text/html', body: Buffer.from('=_page ----=_page--\n'), isText: true };

  it('has a boundary that no part can contain', () => {
    const message = new MimeMessage(head, 10_000);
    message.add({ ...part, id: 'frame-0@page', location: 'https://example.com/' });
    message.add({ type: 'image/png', body: Buffer.alloc(100, 7), isText: false });
    const text = message.toBuffer().toString('latin1');
    expect(text.split('----=_page').length - 1).toBe(4);
    expect(text).toContain('Content-ID: <frame-0@page>\r\n');
    expect(text).toContain(`\r\n\r\n${'BwcH'.repeat(19)}\r\n`);
    expect(text.endsWith('------=_page--\r\n')).toBe(true);
  });

  it('refuses more bytes than allowed', () => {
    const message = new MimeMessage(head, 1_000);
    const add = (): void => message.add({ ...part, body: Buffer.alloc(600, 'x') });
    add();
    expect(add).toThrow(expect.objectContaining({ code: 'resource_limit' }));
  });
});
