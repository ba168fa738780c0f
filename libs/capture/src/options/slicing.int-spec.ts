import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Capturing, type Captured } from '../../../../test/support/capturing.js';
import { decoded, joined } from '../../../../test/support/slices.js';
import type { CaptureOptions } from '../request/capture-options.js';

let capturing: Capturing;
beforeAll(async () => {
  capturing = await Capturing.open();
});
afterAll(() => capturing.close());

type Options = Partial<CaptureOptions>;

const FULL = { full_page: true } as const;
const EXACT = { ...FULL, slice_height: 300, slice_at: 'exact' } as const;

const placesOf = ({ files }: Captured): unknown[] =>
  files.map(({ name, facts: { offsetY, height } }) => [name, offsetY, height]);

describe('exact slices', () => {
  it.each<[string, Options]>([
    ['/bands.html', {}],
    ['/tall.html', { slice_height: 1_700 }],
    ['/text.html', {}],
    ['/sticky.html', {}],
    ['/boxes.html', { device_scale_factor: 2 }],
    ['/transparent.html', { omit_background: true }],
    ['/scrolled.html', { full_page_method: 'stitch' }],
    ['/wide.html', { full_width: true }],
    ['/text.html', { image_width: 700 }],
    ['/text.html', { slice_overlap: 40 }],
    ['/text.html', { slice_at: 'gap', slice_overlap: 100 }],
  ])('of %s with %j make the whole picture when they are joined', async (page, options) => {
    const { slice_height: _height, slice_overlap: _overlap, slice_at: _at, ...others } = options;
    const whole = await decoded((await capturing.capture(page, { ...FULL, ...others })).bytes);
    const { files } = await capturing.capture(page, { ...EXACT, ...options });
    const all = await joined(files);
    expect([all.width, all.height, all.channels]).toEqual([whole.width, whole.height, whole.channels]);
    expect(all.pixels.equals(whole.pixels)).toBe(true);
  });

  it('have this height, except for the last one', async () => {
    const captured = await capturing.capture('/bands.html', { ...EXACT, slice_height: 900 });
    expect(placesOf(captured)).toEqual([
      ['result-001', 0, 900],
      ['result-002', 900, 900],
      ['result-003', 1_800, 200],
    ]);
    expect(captured.facts).toMatchObject({ width: 1_280, height: 900, offsetY: 0, truncated: false });
  });

  it('repeat what the one above ends with', async () => {
    const options = { ...EXACT, slice_height: 800, slice_overlap: 100 };
    const captured = await capturing.capture('/bands.html', options);
    expect(placesOf(captured)).toEqual([
      ['result-001', 0, 800],
      ['result-002', 700, 800],
      ['result-003', 1_400, 600],
    ]);
  });

  it('leave out what is below the last that was asked for, and say so', async () => {
    const captured = await capturing.capture('/bands.html', { ...EXACT, max_slices: 2 });
    expect(placesOf(captured)).toEqual([
      ['result-001', 0, 300],
      ['result-002', 300, 300],
    ]);
    expect(captured.files.map(({ facts }) => facts.truncated)).toEqual([true, true]);
    expect(captured.facts).toMatchObject({ truncated: true, pageHeight: 2_000 });
  });

  it.each(['jpeg', 'webp', 'avif'] as const)('can be %s', async (format) => {
    const { files } = await capturing.capture('/bands.html', { ...EXACT, slice_height: 1_000, format });
    expect(files.map((file) => [file.format, file.facts.width, file.facts.height])).toEqual([
      [format, 1_280, 1_000],
      [format, 1_280, 1_000],
    ]);
    const { width, height } = await decoded(files[1]?.bytes ?? Buffer.alloc(0));
    expect([width, height]).toEqual([1_280, 1_000]);
  });

  it('may be of a page that is too high for one file of its format', async () => {
    const html =
      '<body style="margin: 0"><div style="height: 17000px; background: linear-gradient(red, blue)">';
    const options = { html, ...FULL, viewport_width: 320, format: 'webp', slice_height: 8_000 } as const;
    const { files, facts } = await capturing.capture(null, { ...options, slice_at: 'exact' });
    expect(files.map(({ facts: { height } }) => height)).toEqual([8_000, 8_000, 1_000]);
    expect(facts.truncated).toBe(false);
  });

  it('are refused when they have more bytes together than a capture may have', async () => {
    const limits = { maxBytes: 3_000 };
    const { code } = await capturing.failure('/text.html', EXACT, limits);
    expect(code).toBe('resource_limit');
  });
});

/** Paragraphs of 100 px with a gap of 40 px below each. */
const PARAGRAPHS = `<style>
  body { margin: 0; font: 20px/25px sans-serif }
  p { margin: 0 0 40px; height: 100px; width: 600px; overflow: hidden }
</style>${'<p>Ferns grow in the shade of old walls, wherever water drips and nobody sweeps. '.repeat(12)}`;

describe('slices that end in gaps', () => {
  it('end between blocks, where a gap is near', async () => {
    const options = { html: PARAGRAPHS, ...FULL, slice_height: 430 };
    const { files } = await capturing.capture(null, options);
    const cuts = files.slice(1).map(({ facts: { offsetY } }) => (offsetY ?? 0) % 140);
    expect(cuts.length).toBeGreaterThan(2);
    for (const cut of cuts) expect(cut).toBeGreaterThanOrEqual(100);
  });

  it('end beside a border that runs along the page as well', async () => {
    const html = PARAGRAPHS.replace('body {', 'body { border-left: 9px solid green; padding-right: 9px;');
    const { files } = await capturing.capture(null, { html, ...FULL, slice_height: 430 });
    const cuts = files.slice(1).map(({ facts: { offsetY } }) => (offsetY ?? 0) % 140);
    for (const cut of cuts) expect(cut).toBeGreaterThanOrEqual(100);
  });

  it('have the given height where there is none', async () => {
    const stripes = 'repeating-linear-gradient(45deg, red 0 5px, blue 5px 10px)';
    const html = `<body style="margin: 0; height: 1000px; background: ${stripes}">`;
    const captured = await capturing.capture(null, { html, ...FULL, slice_height: 400 });
    expect(placesOf(captured)).toEqual([
      ['result-001', 0, 400],
      ['result-002', 400, 400],
      ['result-003', 800, 200],
    ]);
  });

  it('are one slice when the picture is not much higher than it', async () => {
    const captured = await capturing.capture('/bands.html', { ...FULL, slice_height: 1_900 });
    expect(placesOf(captured)).toEqual([['result-001', 0, 2_000]]);
  });
});

describe('slices of an output', () => {
  it('have its name, in the place of the output', async () => {
    const outputs = [
      { name: 'text', format: 'text' as const },
      { name: 'page', ...EXACT, slice_height: 1_000 },
      { name: 'window' },
    ];
    const captured = await capturing.capture('/bands.html', { outputs });
    expect(captured.files.map(({ name, facts }) => [name, facts.offsetY])).toEqual([
      ['text', null],
      ['page-001', 0],
      ['page-002', 1_000],
      ['window', null],
    ]);
  });
});
