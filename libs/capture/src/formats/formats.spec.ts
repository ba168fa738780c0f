import { describe, expect, it } from '@jest/globals';
import { fieldsOf } from '@app/kernel';
import { CaptureOptions } from '../options/index.js';
import { FORMAT_NAMES, FORMATS, formatsOf } from './index.js';

const formats = Object.values(FORMATS);
const optionNames = fieldsOf(CaptureOptions).map(({ name }) => name);

describe('the formats', () => {
  it('have names and extensions of their own', () => {
    const extensions = formats.flatMap(({ extension, otherExtensions = [] }) => [
      extension,
      ...otherExtensions,
    ]);
    expect(new Set(extensions).size).toBe(extensions.length);
    expect(FORMAT_NAMES).toEqual(formats.map(({ name }) => name));
    expect(new Set(FORMAT_NAMES).size).toBe(formats.length);
  });

  it.each(formats)('list only options that exist: $name', ({ options }) => {
    expect(options.filter((name) => !optionNames.includes(name))).toEqual([]);
  });
});

describe(formatsOf.name, () => {
  it.each([
    ['url', undefined],
    ['scroll', undefined],
    ['full_page', ['png', 'jpeg', 'webp', 'avif']],
    ['selector', ['png', 'jpeg', 'webp', 'avif', 'html', 'text', 'markdown']],
    ['quality', ['jpeg', 'webp', 'avif']],
    ['omit_background', ['png', 'webp', 'avif']],
    ['image_width', ['png', 'jpeg', 'webp', 'avif']],
    ['optimize_for_speed', ['png']],
    ['pdf_outline', ['pdf']],
  ])('has the formats that list an option, or none when all take it: %s', (option, expected) => {
    expect(formatsOf(option)).toEqual(expected);
  });
});
