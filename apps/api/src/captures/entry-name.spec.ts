import { describe, expect, it } from '@jest/globals';
import { FORMAT_NAMES, FORMATS } from '@app/capture';
import { entryName, isCompressed, rowPath, safeLabel } from './entry-name.js';

describe(entryName, () => {
  it('is the name of the output with the extension of its format', () => {
    expect(entryName({ name: 'phone', format: 'png' })).toBe('phone.png');
    expect(entryName({ name: 'result', format: 'text' })).toBe('result.txt');
  });

  it.each(['con', 'nul', 'aux', 'prn', 'com1', 'lpt9'])('is not %s, which is a device of Windows', (name) => {
    expect(entryName({ name, format: 'png' })).toBe(`_${name}.png`);
  });
});

describe(rowPath, () => {
  const path = (reference: string | null, host: string | null = 'example.com', row = 7) =>
    rowPath({ row, reference, host });

  it('begins with the number of the row, so that names are unique and sort as the rows do', () => {
    expect([path('a', null, 1), path('a', null, 10_000), path('a', null, 123_456)]).toEqual([
      '00001-a',
      '10000-a',
      '123456-a',
    ]);
  });

  it.each([
    ['order-1234', '00007-order-1234'],
    [null, '00007-example.com'],
    ['', '00007-example.com'],
    ['...', '00007-example.com'],
    ['///', '00007-example.com'],
    ['日本語 ü 👩‍👩‍👧', '00007-日本語 ü 👩-👩-👧'],
  ])('has the reference %j or else the host', (reference, expected) => {
    expect(path(reference)).toBe(expected);
  });

  it('has a word for a row with neither', () => {
    expect(path(null, null)).toBe('00007-capture');
  });
});

describe(safeLabel, () => {
  it.each([
    ['../../etc/passwd', 'etc-passwd'],
    ['..\\..\\windows', 'windows'],
    ['a/../b', 'a-.-b'],
    ['C:\\temp', 'C-temp'],
    ['a\0b\nc\x7fd\x85e', 'a-b-c-d-e'],
    ['gnp.\u202egpj', 'gnp.-gpj'],
    ['a\u2028b\ufeffc', 'a-b-c'],
    ['what? *.* <x> |"y"|', 'what- -.- -x- -y'],
    [' . trailing. . ', 'trailing'],
    ['a\ud800b', 'a\ufffdb'],
    ['e\u0301', 'é'],
  ])('turns %j into %j', (text, label) => {
    expect(safeLabel(text)).toBe(label);
  });

  it('is short enough for every file system, and ends with a whole character', () => {
    expect(safeLabel('a'.repeat(300))).toBe('a'.repeat(150));
    expect(safeLabel('😀'.repeat(100))).toBe('😀'.repeat(37));
    expect(safeLabel(`${'a'.repeat(149)}. b`)).toBe('a'.repeat(149));
  });
});

describe(isCompressed, () => {
  it('is true for pictures and PDFs, and false for texts', () => {
    const compressed = FORMAT_NAMES.filter(isCompressed);
    expect(compressed).toEqual(expect.arrayContaining(['png', 'jpeg', 'webp', 'pdf']));
    const others = FORMAT_NAMES.filter((name) => !compressed.includes(name));
    expect(others).toContain('text');
    expect(others.filter((name) => !/^(text|multipart)\//.test(FORMATS[name].contentType))).toEqual([]);
  });
});
