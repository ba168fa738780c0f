import { describe, expect, it } from '@jest/globals';
import type { CaptureRecord } from '@capture-service/client';
import { filesOf, placeOf } from './row-files.js';

type Named = Parameters<typeof filesOf>[1];

const file = (name: string, format: CaptureRecord['format'] = 'png') =>
  ({ name, format, bytes: 1, sha256: 'ab' }) as CaptureRecord['files'][number];

const record = (fields: Partial<Named>): Named => ({
  reference: null,
  url: 'https://example.com/',
  files: [file('result')],
  ...fields,
});

const pathsOf = (row: number, fields: Partial<Named>): string[] =>
  filesOf(row, record(fields)).map(({ path }) => path);

describe(filesOf.name, () => {
  it.each([
    ['the reference', { reference: 'order 7' }, '00042-order 7.png'],
    [
      'the host and the path',
      { url: 'https://shop.example:8443/a/b.html?c=1#d' },
      '00042-shop.example-8443-a-b.html.png',
    ],
    ['the host alone', {}, '00042-example.com.png'],
    ['decoded letters of the path', { url: 'https://example.com/%C3%A4' }, '00042-example.com-ä.png'],
    ['a path that is not UTF-8, as it is', { url: 'https://example.com/%ff' }, '00042-example.com-%ff.png'],
    ['a word, for HTML', { url: null }, '00042-capture.png'],
    ['a word, when nothing of the reference is left', { reference: '../..', url: null }, '00042-capture.png'],
  ])('names a file after %s', (_, fields, expected) => {
    expect(pathsOf(42, fields)).toEqual([expected]);
  });

  it('uses the extensions of the formats', () => {
    const formats = ['jpeg', 'webp', 'avif', 'pdf', 'html', 'mhtml', 'text', 'markdown'] as const;
    expect(formats.flatMap((format) => pathsOf(1, { files: [file('result', format)] }))).toEqual(
      ['jpg', 'webp', 'avif', 'pdf', 'html', 'mhtml', 'txt', 'md'].map((name) => `00001-example.com.${name}`),
    );
    expect(pathsOf(1, { files: [file('result', '../exe' as never)] })).toEqual(['00001-example.com.exe']);
  });

  it('puts several files into a folder', () => {
    const files = [file('phone', 'jpeg'), file('con', 'pdf'), file('../up')];
    expect(pathsOf(1, { reference: 'a', files })).toEqual([
      '00001-a/phone.jpg',
      '00001-a/_con.pdf',
      '00001-a/up.png',
    ]);
    expect(placeOf(filesOf(1, record({ reference: 'a', files })))).toBe('00001-a/');
    expect(placeOf(filesOf(1, record({})))).toBe('00001-example.com.png');
    expect(placeOf([])).toBeNull();
  });

  it('gives rows names of their own, even where case and form do not count', () => {
    const references = ['A', 'a', 'ä', 'a\u0308', 'a/', 'a.', ' a'];
    const paths = references.flatMap((reference, i) => pathsOf(i + 1, { reference }));
    expect(new Set(paths.map((path) => path.normalize('NFC').toLowerCase())).size).toBe(references.length);
    expect(pathsOf(123_456, { reference: 'a' })).toEqual(['123456-a.png']);
  });
});
