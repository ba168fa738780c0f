import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { Capturing } from '../../../../test/support/capturing.js';

let capturing: Capturing;
beforeAll(async () => {
  capturing = await Capturing.open();
});
afterAll(() => capturing.close());

describe('format', () => {
  it.each([
    [{}, 'png'],
    [{ format: 'png' }, 'png'],
    [{ format: 'jpeg' }, 'jpeg'],
    [{ format: 'webp' }, 'webp'],
  ] as const)('makes a file of %j: %s', async (options, format) => {
    const captured = await capturing.capture('/bands.html', options);
    expect(captured.format).toBe(format);
    expect(await sharp(captured.bytes).metadata()).toMatchObject({ format, width: 1280, height: 800 });
  });

  it('makes a PDF', async () => {
    const { bytes, facts } = await capturing.capture('/bands.html', { format: 'pdf' });
    expect(Buffer.from(bytes.subarray(0, 5)).toString()).toBe('%PDF-');
    expect(facts).toMatchObject({ width: null, height: null, pageHeight: 2000 });
  });
});

describe('quality', () => {
  it.each(['jpeg', 'webp'] as const)(
    'makes a larger %s for a higher value; 80 by default',
    async (format) => {
      const sizeOf = async (quality?: number): Promise<number> =>
        (await capturing.capture('/scripts.html', { format, ...(quality && { quality }) })).bytes.length;
      const [low, usual, high, unsaid] = [
        await sizeOf(10),
        await sizeOf(80),
        await sizeOf(100),
        await sizeOf(),
      ];
      expect(low).toBeLessThan(usual);
      expect(usual).toBeLessThan(high);
      expect(unsaid).toBe(usual);
    },
  );
});

describe('omit_background', () => {
  it.each(['png', 'webp'] as const)(
    'leaves a %s transparent where the page has no background',
    async (format) => {
      const picture = await capturing.picture('/transparent.html', { format, omit_background: true });
      expect(picture.colourAt(1200, 400)).toBe('00000000');
      expect(picture.colourAt(100, 400).slice(-2)).toBe('ff');
    },
  );

  it.each([{}, { omit_background: false }])('is white with %j', async (options) => {
    const picture = await capturing.picture('/transparent.html', options);
    expect(picture.colourAt(1200, 400).slice(0, 6)).toBe('ffffff');
  });
});

describe('optimize_for_speed', () => {
  it('makes a larger file of the same picture', async () => {
    const [fast, plain, small] = await Promise.all(
      [{ optimize_for_speed: true }, {}, { optimize_for_speed: false }].map((o) =>
        capturing.capture('/bands.html', o),
      ),
    );
    if (!fast || !plain || !small) throw new Error('unreachable');
    expect(fast.bytes.length).toBeGreaterThan(small.bytes.length);
    expect(plain.bytes).toEqual(small.bytes);
    expect(await sharp(fast.bytes).raw().toBuffer()).toEqual(await sharp(small.bytes).raw().toBuffer());
  });
});

describe('the size of a file', () => {
  it.each(['png', 'pdf'] as const)('is limited: %s', async (format) => {
    const error = await capturing.failure('/bands.html', { format }, { maxBytes: 500 });
    expect([error.code, error.facts.phase]).toEqual(['resource_limit', 'render']);
    expect(error.message).toContain('500');
  });
});
