import { describe, expect, it } from '@jest/globals';
import { FORMAT_NAMES, FORMATS } from '@app/capture';
import { entryName, isCompressed, rowPath } from './entry-name.js';

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
  const path = (reference: string | null, host: string | null = 'example.com') =>
    rowPath({ row: 7, reference, host });

  it('is the number of the row and its reference, or else its host', () => {
    expect(path('order-1234')).toBe('00007-order-1234');
    expect(path(null)).toBe('00007-example.com');
    expect(path('..')).toBe('00007-example.com');
    expect(path(null, null)).toBe('00007-capture');
  });

  it('leaves room for the extension', () => {
    expect(path('a'.repeat(300))).toBe(`00007-${'a'.repeat(150)}`);
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
