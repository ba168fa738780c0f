import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { Capturing, type Picture } from '../../../../test/support/capturing.js';

const RED = 'ff0000';
const GREEN = '00ff00';
const BLUE = '0000ff';
const MAGENTA = 'ff00ff';
const WHITE = 'ffffff';

let capturing: Capturing;
beforeAll(async () => {
  capturing = await Capturing.open();
});
afterAll(() => capturing.close());

const sizeOf = ({ width, height }: Picture): [number, number] => [width, height];

/** The colour of a pixel as the nearest of 8 shades of each channel: lossy formats are that exact in the middle of an area. */
function shadeAt(picture: Picture, x: number, y: number): string {
  const channels = picture.colourAt(x, y).match(/../g) ?? [];
  return channels
    .map((channel) => Math.round(Math.round((parseInt(channel, 16) / 255) * 8) * 31.875))
    .map((shade) => shade.toString(16).padStart(2, '0'))
    .join('');
}

describe('image_width and image_height', () => {
  it.each(['png', 'jpeg', 'webp', 'avif'] as const)(
    'scale a page down to a %s of this size',
    async (format) => {
      const picture = await capturing.picture('/bands.html', { format, full_page: true, image_width: 320 });
      expect(sizeOf(picture)).toEqual([320, 500]);
      expect(picture.captured.facts).toMatchObject({
        width: 320,
        height: 500,
        pageHeight: 2000,
        truncated: false,
      });
      expect((await sharp(picture.captured.bytes).metadata()).format).toBe(
        format === 'avif' ? 'heif' : format,
      );
      expect([50, 150, 250, 450].map((y) => shadeAt(picture, 300, y))).toEqual([RED, GREEN, BLUE, MAGENTA]);
    },
  );

  it('never enlarge: a smaller picture keeps its pixels', async () => {
    const options = { selector: '#red', selector_padding: 10 };
    const asked = { ...options, image_width: 1_000, image_height: 1_000 };
    const [plain, scaled] = [
      await capturing.picture('/boxes.html', options),
      await capturing.picture('/boxes.html', asked),
    ];
    expect(sizeOf(scaled)).toEqual([320, 170]);
    expect(scaled.captured.facts).toMatchObject({ width: 320, height: 170 });
    const pixels = (picture: Picture) => sharp(picture.captured.bytes).raw().toBuffer();
    expect(await pixels(scaled)).toEqual(await pixels(plain));
  });

  it('are px of the file, whatever the density of the picture', async () => {
    const phone = { viewport_width: 400, viewport_height: 800, device_scale_factor: 2 };
    const picture = await capturing.picture('/bands.html', { ...phone, image_height: 400 });
    expect(sizeOf(picture)).toEqual([200, 400]);
    expect([picture.colourAt(100, 190), picture.colourAt(100, 210)]).toEqual([RED, GREEN]);
  });

  it('apply to a clip, and to a file of 1 px', async () => {
    const clip = { clip_x: 0, clip_y: 200, clip_width: 400, clip_height: 400 };
    const picture = await capturing.picture('/bands.html', { ...clip, image_width: 100 });
    expect(sizeOf(picture)).toEqual([100, 100]);
    expect([picture.colourAt(50, 40), picture.colourAt(50, 60)]).toEqual([RED, GREEN]);
    const dot = await capturing.picture('/bands.html', {
      clip_x: 0,
      clip_y: 0,
      clip_width: 400,
      clip_height: 300,
      image_width: 1,
    });
    expect([...sizeOf(dot), dot.colourAt(0, 0)]).toEqual([1, 1, RED]);
  });

  it('make a file of a page that is higher than its format, cut no earlier than the file requires', async () => {
    const html = (height: number) =>
      `<body style="margin: 0; background: red"><div style="height: ${height - 100}px"></div><div style="height: 100px; background: blue">`;
    const tall = {
      format: 'webp',
      full_page: true,
      max_height: 100_000,
      viewport_width: 64,
      image_width: 32,
    } as const;
    const whole = await capturing.picture(null, { html: html(20_000), ...tall });
    expect([...sizeOf(whole), shadeAt(whole, 16, 9_975)]).toEqual([32, 10_000, BLUE]);
    expect(whole.captured.facts).toMatchObject({ truncated: false, pageHeight: 20_000 });
    const cut = await capturing.picture(null, { html: html(40_000), ...tall });
    expect([...sizeOf(cut), shadeAt(cut, 16, 16_375)]).toEqual([32, 16_383, RED]);
    expect(cut.captured.facts).toMatchObject({ truncated: true, pageHeight: 40_000 });
  });
});

describe('image_fit', () => {
  const square = { full_page: true, image_width: 200, image_height: 200 } as const;

  it.each([{}, { image_fit: 'inside' } as const])('fits the page into the box with %j', async (fit) => {
    const picture = await capturing.picture('/bands.html', { ...square, ...fit });
    expect([...sizeOf(picture), picture.colourAt(64, 20), picture.colourAt(64, 180)]).toEqual([
      128,
      200,
      RED,
      MAGENTA,
    ]);
  });

  it('covers the box with the top of the page', async () => {
    const picture = await capturing.picture('/bands.html', { ...square, image_fit: 'cover' });
    expect(sizeOf(picture)).toEqual([200, 200]);
    const shown = [30, 90, 150, 199].map((y) => picture.colourAt(100, y));
    expect(shown).toEqual([RED, GREEN, BLUE, 'ffff00']);
  });

  it('covers the box with the middle of a wide picture, which it enlarges', async () => {
    const html = `<body style="margin: 0; background: #00f"><div style="width: 20px; height: 20px; border: 0 solid red; border-width: 0 40px; background: lime">`;
    const strip = { clip_x: 0, clip_y: 0, clip_width: 100, clip_height: 20 };
    const picture = await capturing.picture(null, {
      html,
      ...strip,
      image_width: 80,
      image_height: 80,
      image_fit: 'cover',
    });
    expect(sizeOf(picture)).toEqual([80, 80]);
    expect([picture.colourAt(2, 40), picture.colourAt(40, 40), picture.colourAt(77, 77)]).toEqual([
      GREEN,
      GREEN,
      GREEN,
    ]);
  });

  it('contains the page in the box with a white border', async () => {
    const picture = await capturing.picture('/bands.html', { ...square, image_fit: 'contain' });
    expect(sizeOf(picture)).toEqual([200, 200]);
    const across = [5, 34, 40, 100, 160, 195].map((x) => picture.colourAt(x, 100));
    expect(across).toEqual([WHITE, WHITE, BLUE, BLUE, BLUE, WHITE]);
  });

  it.each(['png', 'webp', 'avif'] as const)(
    'has a transparent border with omit_background: %s',
    async (format) => {
      const picture = await capturing.picture('/transparent.html', {
        format,
        omit_background: true,
        image_width: 320,
        image_height: 400,
        image_fit: 'contain',
      });
      expect(sizeOf(picture)).toEqual([320, 400]);
      expect([picture.colourAt(80, 50).slice(-2), picture.colourAt(300, 200).slice(-2)]).toEqual([
        '00',
        '00',
      ]);
      expect(shadeAt(picture, 80, 200)).toBe(`${RED}ff`);
    },
  );
});

describe('format avif', () => {
  it('has the pixels of the page', async () => {
    const picture = await capturing.picture('/bands.html', { format: 'avif' });
    expect([...sizeOf(picture), shadeAt(picture, 640, 200), shadeAt(picture, 640, 600)]).toEqual([
      1280,
      800,
      RED,
      GREEN,
    ]);
    expect(picture.captured.facts).toMatchObject({ width: 1280, height: 800, truncated: false });
  });

  it('has a quality of 60 by default', async () => {
    const bytesOf = async (quality?: number): Promise<Uint8Array> =>
      (await capturing.capture('/scripts.html', { format: 'avif', ...(quality && { quality }) })).bytes;
    const [low, usual, unsaid] = [await bytesOf(20), await bytesOf(60), await bytesOf()];
    expect(low.length).toBeLessThan(usual.length);
    expect(unsaid).toEqual(usual);
  });

  it('leaves the page transparent where it has no background', async () => {
    const options = { format: 'avif', omit_background: true } as const;
    const picture = await capturing.picture('/transparent.html', options);
    expect([picture.colourAt(1200, 400).slice(-2), shadeAt(picture, 100, 400)]).toEqual(['00', `${RED}ff`]);
  });

  it('is refused with what to do when it would take too much memory, and made of a smaller image', async () => {
    const html = '<body style="margin: 0; background: red"><div style="height: 4150px">';
    const wide = { format: 'avif', full_page: true, device_scale_factor: 2 } as const;
    const { code, message } = await capturing.failure(null, { html, ...wide });
    expect(code).toBe('resource_limit');
    expect(message).toContain('2560 × 8300 px');
    expect(message).toContain('21 megapixels');
    expect(message).toContain('image_width');
    const { width, height } = await capturing.picture(null, { html, ...wide, image_width: 300 });
    expect([width, height]).toEqual([300, 973]);
  });
});
