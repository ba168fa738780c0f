import { describe, expect, it } from '@jest/globals';
import { fieldsOf } from '@app/kernel';
import { CaptureOptions } from '../request/capture-options.js';
import { aboutFormat, FORMAT_NAMES, FORMATS, formatsOf, isPicture } from './index.js';

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

  it.each<[string, (name: (typeof FORMAT_NAMES)[number]) => boolean, string]>([
    ['are pictures', isPicture, 'png jpeg webp avif'],
    ['are printed', (name) => aboutFormat(name).kind === 'print', 'pdf'],
    ['are texts', (name) => aboutFormat(name).kind === 'text', 'text markdown'],
    ['are lossy', (name) => aboutFormat(name).isLossy, 'jpeg webp avif'],
    ['are compressed', (name) => aboutFormat(name).isCompressed, 'png jpeg webp avif pdf'],
    ['are seen by models', (name) => aboutFormat(name).isSeenByModels, 'png jpeg webp'],
    ['can be compared', (name) => aboutFormat(name).comparedAs !== null, 'png jpeg webp avif text markdown'],
  ])('say which of them %s', (_, is, names) => {
    expect(FORMAT_NAMES.filter(is)).toEqual(names.split(' '));
  });

  it('have a quality when they are lossy, and are pictures when models see them', () => {
    for (const name of FORMAT_NAMES) {
      const { isLossy, defaultQuality, isSeenByModels, contentType } = aboutFormat(name);
      expect([name, defaultQuality !== undefined]).toEqual([name, isLossy]);
      expect([name, isPicture(name)]).toEqual([name, contentType.startsWith('image/')]);
      if (isSeenByModels) expect(isPicture(name)).toBe(true);
    }
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
