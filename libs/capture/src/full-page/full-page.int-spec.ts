import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Capturing, Picture } from '../../../../test/support/capturing.js';
import type { CaptureOptions } from '../request/capture-options.js';

const GREEN = '00ff00';
const BLUE = '0000ff';
const SECTION = 320;
const ALL = Array<string>(12).fill(GREEN);

let capturing: Capturing;
beforeAll(async () => {
  capturing = await Capturing.open();
});
afterAll(() => capturing.close());

function wholePage(query: string, options: Partial<CaptureOptions> = {}): Promise<Picture> {
  return capturing.picture(`/scrolled.html?${query}`, { full_page: true, wait_until: 'load', ...options });
}

/** The colour in the middle of each of the twelve sections. */
function sectionsOf(picture: Picture, start = 0): string[] {
  return ALL.map((_, i) => picture.colourAt(640, start + SECTION * i + SECTION / 2));
}

describe('a full page', () => {
  it('shows what is in the window only while the page is scrolled there', async () => {
    const picture = await wholePage('by=mixed');
    expect(sectionsOf(picture)).toEqual(ALL);
    expect(picture.captured.facts.complete).toBe(true);
  });

  it('shows what the page takes out again, and keeps a section of 100vh as high as the window', async () => {
    const picture = await wholePage('by=removed&hero');
    expect([picture.height, picture.colourAt(640, 5), picture.colourAt(640, 795)]).toEqual([
      800 + 12 * SECTION,
      BLUE,
      BLUE,
    ]);
    expect(sectionsOf(picture, 800)).toEqual(ALL);
  });

  it('shows frames of other sites below the window', async () => {
    expect(sectionsOf(await wholePage('by=frame'))).toEqual(ALL);
  });

  it('shows each of its sections in outputs, one after the other', async () => {
    const whole = { format: 'png', full_page: true } as const;
    const outputs = [
      { name: 'first', ...whole },
      { name: 'window', format: 'png' as const },
      { name: 'second', ...whole },
    ];
    const options = { wait_until: 'load' as const, outputs };
    const captured = await capturing.capture('/scrolled.html?by=removed', options);
    const pictures = await Promise.all(
      captured.files.map(({ bytes, format }) => Picture.fromCapture({ ...captured, bytes, format })),
    );
    expect(pictures.map(({ height }) => height)).toEqual([12 * SECTION, 800, 12 * SECTION]);
    const [first, , second] = pictures;
    expect([first, second].map((picture) => picture && sectionsOf(picture))).toEqual([ALL, ALL]);
  });
});

describe('the record of a full page', () => {
  it('says how many parts were never revealed', async () => {
    const html = `<body style="margin: 0">${'<div style="height: 900px">page</div>'.repeat(2)}
      <div style="height: 200px; opacity: 0">This part is never shown.</div>`;
    const { facts } = await capturing.capture(null, { html, full_page: true });
    const missing = { sections: 1, reasons: ['sections_not_revealed'] };
    expect(facts).toMatchObject({ complete: false, missing });
  });
});

describe('full_page_method', () => {
  it('is once: the page is drawn as it is at its top', async () => {
    const sections = sectionsOf(await wholePage('by=class', { full_page_method: 'once' }));
    expect([sections[0], sections[11]]).toEqual([GREEN, 'ffffff']);
  });

  it.each(['grow', 'stitch'] as const)('is %s: all sections are shown', async (method) => {
    expect(sectionsOf(await wholePage('by=class', { full_page_method: method }))).toEqual(ALL);
  });
});

describe('stitched pictures', () => {
  it.each(['png', 'jpeg', 'webp', 'avif'] as const)('of one window are %s', async (format) => {
    const html = '<body style="margin: 0; height: 900px; background: #00ff00">page';
    const options = { full_page: true, full_page_method: 'stitch', viewport_height: 1_000 } as const;
    const picture = await capturing.picture(null, { html, format, ...options });
    expect([picture.captured.format, picture.width, picture.height]).toEqual([format, 1_280, 1_000]);
  });

  it('have no background where the page has none', async () => {
    const html = '<body style="margin: 0; height: 1900px"><p style="padding-top: 1000px">page';
    const options = { full_page: true, full_page_method: 'stitch', omit_background: true } as const;
    const picture = await capturing.picture(null, { html, ...options });
    expect([picture.height, picture.colourAt(5, 5), picture.colourAt(5, 1_850)]).toEqual([
      1_900,
      '00000000',
      '00000000',
    ]);
  });
});

describe('a page that is captured', () => {
  const RESIZED = `<body style="margin: 0; height: 2000px; background: #00ff00">
    <div id="a" style="height: 50px"></div><div id="b" style="height: 50px; margin-top: 1500px"></div>
    <script>addEventListener('resize', () => { document.body.style.background = '#ff0000' })</script>`;

  it.each([
    [{ selector: '#a' }],
    [{ selector: '#b' }],
    [{ clip_x: 0, clip_y: 1_500, clip_width: 100, clip_height: 100 }],
    [{ full_page: true }],
  ])('learns of no resize with %j', async (options) => {
    const picture = await capturing.picture(null, { html: RESIZED, wait_until: 'load', ...options });
    expect(picture.colourAt(10, 10)).toBe(GREEN);
  });
});
