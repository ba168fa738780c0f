import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Capturing } from '../../../../test/support/capturing.js';

const RED = 'ff0000';
const GREEN = '00ff00';
const BLUE = '0000ff';
const YELLOW = 'ffff00';
const MAGENTA = 'ff00ff';
const ORANGE = 'ff8000';
const WHITE = 'ffffff';
const GREY = '808080';

let capturing: Capturing;
beforeAll(async () => {
  capturing = await Capturing.open();
});
afterAll(() => capturing.close());

describe('full_page', () => {
  it.each([{}, { full_page: false }])('shows the window with %j', async (options) => {
    const picture = await capturing.picture('/bands.html', options);
    expect([picture.width, picture.height]).toEqual([1280, 800]);
    expect([picture.colourAt(5, 5), picture.colourAt(5, 799)]).toEqual([RED, GREEN]);
    expect(picture.captured.facts).toMatchObject({
      pageHeight: 2000,
      truncated: false,
      width: 1280,
      height: 800,
    });
  });

  it('shows the page in its full height', async () => {
    const picture = await capturing.picture('/bands.html', { full_page: true });
    expect([picture.width, picture.height]).toEqual([1280, 2000]);
    const bands = [200, 600, 1000, 1400, 1800].map((y) => picture.colourAt(640, y));
    expect(bands).toEqual([RED, GREEN, BLUE, YELLOW, MAGENTA]);
    expect(picture.captured.facts).toMatchObject({ pageHeight: 2000, truncated: false });
  });

  it('draws in device px', async () => {
    const picture = await capturing.picture('/bands.html', { full_page: true, device_scale_factor: 1.5 });
    expect([picture.width, picture.height]).toEqual([1920, 3000]);
    expect([picture.colourAt(0, 599), picture.colourAt(0, 600), picture.colourAt(0, 2999)]).toEqual([
      RED,
      GREEN,
      MAGENTA,
    ]);
  });

  it.each([
    { viewport_width: 1_920, viewport_height: 1_500 },
    { viewport_width: 320, viewport_height: 200 },
    { viewport_width: 2_560, viewport_height: 300, device_scale_factor: 0.5 },
    { viewport_width: 414, viewport_height: 900, device_scale_factor: 3, touch: true },
  ])('captures exactly the requested window, and a full page beyond it: %j', async (window) => {
    const { viewport_width: width, viewport_height: height, device_scale_factor: scale = 1 } = window;
    const shown = await capturing.picture('/bands.html', window);
    expect([shown.width, shown.height]).toEqual([width * scale, height * scale]);
    expect(shown.colourAt(width * scale - 1, 0)).toBe(RED);
    const whole = await capturing.picture('/bands.html', { ...window, full_page: true });
    expect([whole.width, whole.height]).toEqual([width * scale, 2_000 * scale]);
    expect(whole.colourAt(width * scale - 1, 2_000 * scale - 1)).toBe(MAGENTA);
  });

  it('shows a phone page as the phone does, zoomed out to its window', async () => {
    const phone = { viewport_width: 390, viewport_height: 844, device_scale_factor: 2, mobile: true };
    const picture = await capturing.picture('/mobile.html', { full_page: true, ...phone });
    expect(picture.width).toBe(780);
    expect(Math.abs(picture.height - (3000 * 780) / 980)).toBeLessThanOrEqual(2);
    expect([picture.colourAt(779, 5), picture.colourAt(779, picture.height - 5)]).toEqual([RED, BLUE]);
  });

  it.each([
    [{ selector: '#a' }, [100, 100]],
    [{ clip_x: 0, clip_y: 0, clip_width: 100, clip_height: 150 }, [200, 300]],
  ])('of a part of such a page is as large as its CSS says: %j', async (part, size) => {
    const phone = { viewport_width: 390, viewport_height: 844, device_scale_factor: 2, mobile: true };
    const html =
      '<body style="margin: 0"><div id="a" style="width: 50px; height: 50px; background: #00ff00">';
    const picture = await capturing.picture(null, { html, ...phone, ...part });
    expect([[picture.width, picture.height], picture.colourAt(99, 99)]).toEqual([size, GREEN]);
  });

  it('works on a page that redefines what scripts rely on', async () => {
    const picture = await capturing.picture('/tampered.html', { full_page: true, sticky: 'hide' });
    expect([500, 1500, 2500].map((y) => picture.colourAt(5, y))).toEqual([RED, GREEN, BLUE]);
  });

  it('works without JavaScript', async () => {
    const picture = await capturing.picture('/lazy.html', { full_page: true, javascript: false });
    expect(picture.height).toBe(4900);
    // The lazy picture is loaded by the browser; the script that turns sections green does not run.
    expect([picture.colourAt(500, 100), picture.colourAt(5, 4850)]).toEqual([GREY, GREEN]);
  });
});

describe('full_page of an app with a scroll container', () => {
  it.each(['flex', 'grid', 'fixed', 'flex&own', 'flex&shadow'])(
    'shows all of its content: %s',
    async (shell) => {
      const picture = await capturing.picture(`/app-shell.html?shell=${shell}`, { full_page: true });
      expect([picture.width, picture.height]).toEqual([1280, 60 + 6 * 500 + 20]);
      const blocks = [0, 1, 2, 3, 4, 5].map((i) => picture.colourAt(700, 60 + i * 500 + 250));
      expect(blocks).toEqual(Array(6).fill(GREEN));
      expect([picture.colourAt(700, 30), picture.colourAt(100, 400), picture.colourAt(700, 3070)]).toEqual([
        RED,
        GREY,
        BLUE,
      ]);
      expect(picture.captured.facts).toMatchObject({ pageHeight: 3080, truncated: false });
    },
  );

  it('expands a body that scrolls', async () => {
    const picture = await capturing.picture('/app-shell.html?shell=body', { full_page: true });
    expect([picture.height, picture.colourAt(700, 2_900), picture.colourAt(700, 3_070)]).toEqual([
      3_080,
      GREEN,
      BLUE,
    ]);
  });

  it('does not expand it without full_page', async () => {
    const picture = await capturing.picture('/app-shell.html?shell=flex');
    expect([picture.height, picture.captured.facts.pageHeight]).toEqual([800, 800]);
  });

  it('cuts what is higher than max_height', async () => {
    const options = { full_page: true, max_height: 1_000 };
    const picture = await capturing.picture('/app-shell.html?shell=flex&count=60', options);
    expect([picture.height, picture.captured.facts.truncated]).toEqual([1_000, true]);
  });

  it.each([
    // Side bars and listings do not stand in the page's place.
    ['<div style="width: 600px; height: 500px; overflow: auto"><p style="height: 5000px">', 800],
    // A page that scrolls by itself does, whatever scrolls in it.
    [
      '<div style="height: 700px; overflow: auto"><p style="height: 5000px"></div><p style="height: 300px">',
      1_032,
    ],
    [`<textarea style="width: 1200px; height: 700px">${'&#10;'.repeat(99)}`, 800],
  ])('leaves other scroll containers as they are: %s', async (body, height) => {
    const html = `<!doctype html><body style="margin: 0">${body}`;
    expect((await capturing.picture(null, { html, full_page: true })).height).toBe(height);
  });
});

describe('full_width', () => {
  const full = { full_page: true } as const;

  it.each([{}, { full_width: false }])(
    'leaves a full page as wide as the window with %j, and says that it is cut',
    async (options) => {
      const picture = await capturing.picture('/wide.html', { ...full, ...options });
      expect([picture.width, picture.colourAt(50, 450), picture.colourAt(1279, 450)]).toEqual([
        1280,
        RED,
        GREEN,
      ]);
      expect(picture.captured.facts).toMatchObject({ width: 1280, truncated: true });
    },
  );

  it('shows a full page in its full width', async () => {
    const picture = await capturing.picture('/wide.html', { ...full, full_width: true });
    expect([picture.width, picture.height]).toEqual([2000, 1000]);
    expect([picture.colourAt(50, 450), picture.colourAt(1000, 450), picture.colourAt(1950, 450)]).toEqual([
      RED,
      GREEN,
      BLUE,
    ]);
    expect(picture.captured.facts).toMatchObject({ width: 2000, truncated: false });
  });

  it('shows the right end of a right-to-left page', async () => {
    const cut = await capturing.picture('/wide.html?rtl', full);
    expect([cut.width, cut.colourAt(50, 450), cut.colourAt(1230, 450)]).toEqual([1280, GREEN, BLUE]);
    expect(cut.captured.facts.truncated).toBe(true);
    const whole = await capturing.picture('/wide.html?rtl', {
      ...full,
      full_width: true,
      device_scale_factor: 2,
    });
    expect([whole.width, whole.colourAt(100, 900), whole.colourAt(3_900, 900)]).toEqual([4_000, RED, BLUE]);
  });

  it.each(['hidden', 'menu'])('counts nothing that cannot be seen by scrolling: %s', async (how) => {
    const { facts } = await capturing.capture(`/wide.html?${how}`, { ...full, full_width: true });
    expect(facts).toMatchObject({ width: 1280, truncated: false });
  });

  it('counts a line of text', async () => {
    expect((await capturing.capture('/wide.html?text', full)).facts.truncated).toBe(true);
    const { facts } = await capturing.capture('/wide.html?text', { ...full, full_width: true });
    expect(facts.width).toBeGreaterThan(3_000);
  });

  it('is cut to the maximum size of an image', async () => {
    const html = '<body style="margin: 0"><div style="width: 20000px; height: 300px; background: red">';
    const picture = await capturing.picture(null, {
      ...full,
      html,
      full_width: true,
      format: 'webp',
      scroll: false,
    });
    expect(picture.captured.facts).toMatchObject({ width: 16_383, height: 800, truncated: true });
  });
});

describe('max_height', () => {
  it('cuts a full page and reports it', async () => {
    const picture = await capturing.picture('/bands.html', { full_page: true, max_height: 900 });
    expect([picture.width, picture.height]).toEqual([1280, 900]);
    expect(picture.colourAt(5, 899)).toBe(BLUE);
    expect(picture.captured.facts).toMatchObject({ pageHeight: 2000, truncated: true });
  });

  it('is 20,000 by default, also on an endless feed', async () => {
    const { facts } = await capturing.capture('/feed.html', { full_page: true, format: 'jpeg' });
    expect(facts).toMatchObject({ height: 20_000, truncated: true });
    expect(facts.pageHeight).toBeGreaterThan(20_000);
  });

  it.each([
    ['png', 78_125],
    ['jpeg', 65_500],
    ['webp', 16_383],
  ] as const)('is what a %s can hold at most: no row twice, none left out', async (format, height) => {
    const options = { full_page: true, max_height: 100_000, scroll: false, format, quality: 100 };
    const picture = await capturing.picture('/tall.html', options);
    expect(picture.height).toBe(height);
    const rows = Array.from({ length: Math.floor(height / 100) }, (_, row) => {
      const colour = parseInt(picture.colourAt(640, row * 100 + 50), 16);
      const [red, green] = [colour >> 16, (colour >> 8) & 255];
      // Lossy formats are off by one or two.
      return Math.abs(red - (row & 255)) <= 2 && Math.abs(green - (row >> 8)) <= 2;
    });
    expect(rows.every(Boolean)).toBe(true);
    expect(picture.captured.facts).toMatchObject({ pageHeight: 200_000, truncated: true });
  });
});

describe('selector', () => {
  it('shows the element, wherever it is', async () => {
    const picture = await capturing.picture('/boxes.html', { selector: '#red' });
    expect([picture.width, picture.height]).toEqual([300, 150]);
    expect([picture.colourAt(0, 0), picture.colourAt(299, 149)]).toEqual([RED, RED]);
  });

  it('keeps space around it up to the edges of the page', async () => {
    const padded = await capturing.picture('/boxes.html', { selector: '#red', selector_padding: 10 });
    expect([padded.width, padded.height]).toEqual([320, 170]);
    expect([padded.colourAt(9, 9), padded.colourAt(10, 10), padded.colourAt(310, 160)]).toEqual([
      GREY,
      RED,
      GREY,
    ]);
    const corner = await capturing.picture('/boxes.html', { selector: '#corner', selector_padding: 10 });
    expect([corner.width, corner.height]).toEqual([50, 50]);
    expect([corner.colourAt(0, 0), corner.colourAt(49, 49)]).toEqual([GREEN, GREY]);
  });

  it('loads the lazy pictures of an element far below', async () => {
    const picture = await capturing.picture('/boxes.html', { selector: '#far' });
    expect([picture.colourAt(50, 50), picture.colourAt(150, 150)]).toEqual([GREEN, YELLOW]);
  });

  it('finds an element that has to be scrolled to within a box', async () => {
    const picture = await capturing.picture('/boxes.html', { selector: '#inner' });
    expect([picture.width, picture.height, picture.colourAt(50, 25)]).toEqual([100, 50, BLUE]);
  });

  it.each([
    ['#none', 'matches nothing on the page'],
    ['#empty', 'matches an element without a size'],
    ['#hidden', 'matches an element without a size'],
    ['#1a', 'is not a selector that the browser knows'],
  ])('says what is wrong with %s', async (selector, fault) => {
    const { code, facts } = await capturing.failure('/boxes.html', { selector });
    expect([code, facts.detail, facts.phase]).toEqual([
      'selector_not_found',
      `selector (${selector}) ${fault}.`,
      'render',
    ]);
  });
});

describe('clip', () => {
  it('shows that part of the page', async () => {
    const clip = { clip_x: 100, clip_y: 390, clip_width: 50, clip_height: 20 };
    const picture = await capturing.picture('/bands.html', clip);
    expect([picture.width, picture.height]).toEqual([50, 20]);
    expect([picture.colourAt(0, 9), picture.colourAt(0, 10)]).toEqual([RED, GREEN]);
  });

  it('reaches below the window', async () => {
    const clip = { clip_x: 0, clip_y: 1990, clip_width: 10, clip_height: 10 };
    expect((await capturing.picture('/bands.html', clip)).colourAt(9, 9)).toBe(MAGENTA);
  });

  it('is refused beyond the page, and the error states its size', async () => {
    const clip = { clip_x: 0, clip_y: 1990, clip_width: 10, clip_height: 11 };
    const { code, facts } = await capturing.failure('/bands.html', clip);
    expect([code, facts.detail]).toEqual([
      'clip_out_of_bounds',
      'The clip reaches past the page, which has 1280 × 2000 CSS px.',
    ]);
  });

  it('is refused beyond the maximum of the format', async () => {
    const wide = { viewport_width: 7680, viewport_height: 100, device_scale_factor: 4 };
    const { code } = await capturing.failure('/bands.html', { ...wide, format: 'webp' });
    expect(code).toBe('resource_limit');
    expect((await capturing.capture('/bands.html', wide)).facts).toMatchObject({
      width: 30_720,
      height: 400,
    });
  });
});

describe('scroll', () => {
  it.each([
    [{ full_page: true }, GREEN],
    [{ full_page: true, scroll: true }, GREEN],
    [{ full_page: true, scroll: false }, GREY],
    [{ clip_x: 0, clip_y: 0, clip_width: 200, clip_height: 4900 }, GREY],
    [{ clip_x: 0, clip_y: 0, clip_width: 200, clip_height: 4900, scroll: true }, GREEN],
  ])('loads what is seen only after scrolling: %j', async (options, colour) => {
    const picture = await capturing.picture('/lazy.html', options);
    expect([picture.colourAt(150, 300), picture.colourAt(150, 2700), picture.colourAt(150, 4700)]).toEqual([
      GREEN,
      colour,
      colour,
    ]);
  });

  it('goes back to where the page was', async () => {
    const options = { scroll_to_selector: 'div:nth-of-type(3)', scroll: true };
    expect((await capturing.picture('/bands.html', options)).colourAt(5, 5)).toBe(BLUE);
  });
});

describe('sticky', () => {
  const atMark = { scroll_to_selector: '#mark' };

  it.each([{ ...atMark }, { ...atMark, sticky: 'keep' as const }])(
    'shows pinned elements with %j',
    async (options) => {
      const picture = await capturing.picture('/sticky.html', options);
      expect([25, 70, 300, 775].map((y) => picture.colourAt(5, y))).toEqual([RED, ORANGE, WHITE, BLUE]);
    },
  );

  it.each(['top', 'hide'] as const)('takes pinned elements off a scrolled window with %s', async (sticky) => {
    const picture = await capturing.picture('/sticky.html', { ...atMark, sticky });
    expect([20, 70, 300, 775].map((y) => picture.colourAt(5, y))).toEqual([GREEN, WHITE, WHITE, WHITE]);
  });

  it.each([
    // Far from its end when the picture is taken.
    ['hide', 20_000],
    ['top', 300],
  ] as const)('shows nothing of a button that a script fades out, with %s', async (sticky, ms) => {
    const picture = await capturing.picture(`/back-to-top.html?ms=${ms}`, { full_page: true, sticky });
    expect([picture.colourAt(1200, 730), picture.colourAt(70, 730)]).toEqual([WHITE, WHITE]);
  });

  it.each([
    ['keep', [RED, BLUE, ORANGE, GREEN]],
    ['top', [RED, BLUE, ORANGE, GREEN]],
    // Orange does not stick at the top of the page: there it is an element like any other.
    ['hide', [WHITE, WHITE, ORANGE, GREEN]],
  ] as const)('shows each element at most once on a full page with %s', async (sticky, colours) => {
    const picture = await capturing.picture('/sticky.html', { full_page: true, sticky });
    expect(picture.height).toBe(3000);
    expect([25, 775, 1020, 1560].map((y) => picture.colourAt(5, y))).toEqual(colours);
    expect([850, 2975].map((y) => picture.colourAt(5, y))).toEqual([WHITE, WHITE]);
  });
});
