import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RequestListener } from 'node:http';
import { onePagePool } from '../../../../test/support/browser.js';
import { Capturing, Picture } from '../../../../test/support/capturing.js';
import { IsolatingBrowser } from '../../../../test/support/isolating-browser.js';
import { Site } from '../../../../test/support/site.js';
import type { CaptureOptions } from '../request/capture-options.js';

type Options = Partial<CaptureOptions>;

const html =
  (body: string): RequestListener =>
  (_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(body);
  };
const script = (code: string): RequestListener => html(`<body><script>${code}</script>`);
const site: Site = new Site({
  '/frame': script(`
    const square = document.body.appendChild(document.createElement('div'));
    const random = Math.random();
    let ticks = 0;
    setInterval(() => { ticks += 1; square.textContent = [new Date().toISOString(), ticks, random].join(' '); }, 70)`),
  '/framed': (...args) => {
    html(`<iframe src="${site.url('/frame', 'localhost')}" width="700"></iframe>`)(...args);
  },
  '/busy': script(`
    const end = Date.now() + 300;
    while (Date.now() < end);
    const later = new Date().getTime() + 300;
    while (new Date() < later);
    document.write(Date.now() - end)`),
  '/waits': script(`
    const late = (text, wait) => setTimeout(() => document.body.append(text, document.createElement('br')), wait);
    late('after 300', 300);
    late('after 7000', 7000);

    document.onclick = () => { late('clicked', 1200); };`),
  '/timers': script(`
    const lines = [];
    const log = (line) => { lines[lines.length] = line; document.body.innerText = lines.join('\\n'); };
    setTimeout((...given) => log('arguments ' + given), 20, 1, 2);
    setTimeout('log("text")', 30);
    clearTimeout(setTimeout(log, 10, 'cleared'));
    cancelAnimationFrame(requestAnimationFrame(() => log('canceled')));
    requestIdleCallback((deadline) => log('idle ' + (deadline.timeRemaining() > 0)));
    const id = setInterval(() => { log('interval ' + performance.now()); clearInterval(id); }, 50);
    setTimeout(() => { Promise.resolve().then(() => log('promise')); setTimeout(log, 0, 'next'); throw new Error('of the page'); }, 60);
    onerror = (message) => log(message);
    requestAnimationFrame((now) => log('frame ' + now.toFixed(2)));
    setTimeout(() => { try { setTimeout() } catch (error) { log(error.name) } }, 70);
    log([setTimeout.name, setTimeout.length, String(setTimeout).includes('[native code]'), Date.length,
      new Date() instanceof Date, new Date().constructor === Date, new Date(0).getTime(), Date.UTC(2000, 0)].join());
    Array.prototype[Symbol.iterator] = Array.prototype.push = () => { throw new Error('replaced'); };`),
  '/opened': script(`
    setTimeout(() => { document.open(); document.write('<p>'); document.close();
      setInterval(() => document.querySelector('p').append('x'), 500); }, 100)`),
});

let capturing: Capturing;
beforeAll(async () => {
  await site.open();
  capturing = await Capturing.open();
});
afterAll(async () => {
  await Promise.all([site.close(), capturing.close()]);
});

const stably = (page: string, options: Options = {}) => capturing.capture(page, { stable: true, ...options });
const textOf = async (path: string, options: Options = {}): Promise<string> => {
  const { bytes } = await stably(path.startsWith('/moving') ? path : site.url(path), {
    format: 'text',
    ...options,
  });
  return Buffer.from(bytes).toString();
};
const AGREED = { agreed: true, frames: 2, unstable_boxes: [] };

describe('the same page', () => {
  const moving = ['clock', 'random', 'styles', 'scripts', 'media'].map((name) => `/moving/${name}.html`);

  it.each<[string, Options]>([
    ...moving.map((page): [string, Options] => [page, {}]),
    ['/moving/scripts.html', { format: 'jpeg', full_page: true }],
    ['/moving/scripts.html', { format: 'webp', selector: '#carousel' }],
    [
      '/moving/styles.html',
      { omit_background: true, clip_x: 0, clip_y: 0, clip_width: 700, clip_height: 400 },
    ],
    ['/moving/styles.html', { javascript: false }],
    ['/moving/clock.html', { format: 'pdf' }],
    ['/moving/random.html', { format: 'avif' }],
    ['/moving/random.html', { image_width: 400, image_height: 300, image_fit: 'contain' }],
    ['/moving/scripts.html', { delay_ms: 400, wait_until: 'auto' }],
  ])('%s has the same bytes, with %j', async (page, options) => {
    const [one, other] = [await stably(page, options), await stably(page, options)];
    expect([one.facts.stable, other.facts.stable]).toEqual([AGREED, AGREED]);
    expect(Buffer.compare(one.bytes, other.bytes)).toBe(0);
  });

  it('has the same bytes in another browser', async () => {
    const another = await Capturing.open();
    try {
      for (const page of ['/moving/scripts.html', '/moving/styles.html', '/scripts.html']) {
        const one = await another.capture(page, { stable: true });
        expect(Buffer.compare(one.bytes, (await stably(page)).bytes)).toBe(0);
      }
    } finally {
      await another.close();
    }
  });

  it('differs without the option, which reports nothing', async () => {
    const page = '/moving/random.html';
    const [one, other] = [await capturing.capture(page), await capturing.capture(page, { stable: false })];
    expect([one.facts.stable, other.facts.stable]).toEqual([null, null]);
    expect(Buffer.compare(one.bytes, other.bytes)).not.toBe(0);
  });
});

describe('what stands still', () => {
  it('is shown where its animation ends, or where it is without an endless one', async () => {
    const picture = await Picture.fromCapture(await stably('/moving/styles.html'));
    const places = [
      [24, 24],
      [320, 68],
      [620, 112],
      [620, 156],
      [24, 200],
      [24, 244],
      [30, 290],
      [20, 336],
    ] as const;
    expect(places.map(([x, y]) => picture.colourAt(x, y).slice(0, 6))).toEqual([
      'ff0000',
      '008000',
      '0000ff',
      'ffa500',
      '000000',
      '808080',
      '800080',
      '008080',
    ]);
  });

  it('is as far as virtual time is', async () => {
    const [picture, text] = [
      await Picture.fromCapture(await stably('/moving/scripts.html')),
      await textOf('/moving/scripts.html'),
    ];
    // After 5 s the carousel shows its third slide again, and the interval has run 166 times.
    expect(
      [picture.colourAt(150, 280), picture.colourAt(((166 * 7) % 600) + 20, 170)].map((at) => at.slice(0, 6)),
    ).toEqual(['0000ff', 'ff0000']);
    expect(text).toBe('Slow At last');
  });

  it('is a video at its start and a field without its caret', async () => {
    const picture = await Picture.fromCapture(await stably('/moving/media.html'));
    // The caret is red; the text ends elsewhere in each font.
    const row = Array.from({ length: 390 }, (_, x) => picture.colourAt(25 + x, 57).slice(0, 6));
    expect(row).toContain('ffffff');
    expect(row).not.toContain('ff0000');
    const [blue, white] = [picture.colourAt(60, 150), picture.colourAt(300, 150)].map((at) =>
      parseInt(at.slice(0, 2), 16),
    );
    expect(blue).toBeLessThan(20);
    expect(white).toBeGreaterThan(240);
    expect(picture.colourAt(500, 180).slice(0, 6)).toBe('00ff00');
  });

  it.each([
    [{}, { x: 640, y: 320 }],
    [{ full_page: true, format: 'webp' } as const, { x: 640, y: 320 }],
    [
      { clip_x: 600, clip_y: 300, clip_width: 300, clip_height: 200, format: 'jpeg' } as const,
      { x: 40, y: 20 },
    ],
  ])('is not a picture that moves by itself, as its box shows: %j', async (options, at) => {
    const { stable } = (await stably('/moving/picture.html', options)).facts;
    expect(stable).toMatchObject({ agreed: false, unstable_boxes: [expect.anything()] });
    const [box = { x: 0, y: 0, width: 0, height: 0 }] = stable?.unstable_boxes ?? [];
    // The bar is 20 × 100 px and moves less than that; the box ends at multiples of 16 px, and JPEG blurs its edges.
    expect(at.x - box.x).toBeLessThanOrEqual(32);
    expect(box.x + box.width - at.x).toBeLessThanOrEqual(96);
    expect([box.y <= at.y, box.y + box.height >= at.y + 100, box.height <= 160]).toEqual([true, true, true]);
  });

  it('is not one in a file of another size, as its box shows in px of the file', async () => {
    const scaled = { format: 'avif', image_width: 640, image_height: 500, image_fit: 'contain' } as const;
    const { stable } = (await stably('/moving/picture.html', scaled)).facts;
    const [box = { x: 0, y: 0, width: 0, height: 0 }] = stable?.unstable_boxes ?? [];
    // Half the size, below a border of 50 px.
    const { x, y } = { x: 640 / 2, y: 320 / 2 + 50 };
    expect([x - box.x <= 16, box.x + box.width - x <= 48]).toEqual([true, true]);
    expect([box.y <= y, box.y + box.height >= y + 50, box.height <= 80]).toEqual([true, true, true]);
  });

  it('is looked at for ready_timeout_ms', async () => {
    const { stable } = (await stably('/moving/picture.html', { ready_timeout_ms: 0 })).facts;
    expect(stable).toMatchObject({ agreed: false, frames: 2 });
  });
});

describe('virtual time', () => {
  it('is what every function says', async () => {
    const text = await textOf('/moving/clock.html');
    expect(text).toMatch(/50 ticks\s+5000 ms/);
    for (const [at, ms] of [
      ['00', 0],
      ['05', 5000],
    ] as const) {
      for (const line of [
        `new Date: 2026-06-15T12:00:${at}.000Z`,
        `Date(): Mon Jun 15 2026 12:00:${at} GMT+0000`,
        `Date.now: ${1781524800000 + ms}`,
        `subclass: 2026-06-15T12:00:${at}.000Z`,
        `Reflect.construct: 2026-06-15T12:00:${at}.000Z`,
        `performance.now: ${ms}`,
        `Intl format: 12:00:${at}`,
        `Intl parts: 12:00:${at}`,
        `Temporal: 2026-06-15T12:00:${at}+00:00[UTC]`,
        `event.timeStamp: ${ms}`,
      ]) {
        expect(text).toContain(line);
      }
    }
  });

  it('is in the time zone of the option', async () => {
    const text = await textOf('/moving/clock.html', { timezone: 'Asia/Tokyo' });
    expect(text).toContain('Date(): Mon Jun 15 2026 21:00:05 GMT+0900');
  });

  it('runs timers as the browser does', async () => {
    expect((await textOf('/timers')).split('\n')).toEqual([
      'setTimeout,1,true,7,true,true,0,946684800000',
      'idle true',
      'frame 16.67',
      'arguments 1,2',
      'text',
      'interval 50',
      'Uncaught Error: of the page',
      'promise',
      'next',
      'TypeError',
    ]);
  });

  it('passes for a script that waits in a loop', async () => {
    expect(Number(await textOf('/busy'))).toBeLessThan(700);
  });

  it('passes while the capture waits, and up to the next mark', async () => {
    expect(await textOf('/waits')).toBe('after 300');
    expect(await textOf('/waits', { delay_ms: 5_500 })).toBe('after 300\nafter 7000');
    const waited = { wait_for_function: `document.body.innerText.includes('after 7000')` };
    expect(await textOf('/waits', waited)).toBe('after 300\nafter 7000');
    expect(await textOf('/waits', { click_selector: 'body' })).toBe('after 300\nclicked');
  });

  it('goes on after document.open', async () => {
    expect(await textOf('/opened')).toBe('x'.repeat(9));
  });

  it('and randomness are the same in frames of other processes', async () => {
    const browser = new IsolatingBrowser();
    const pool = onePagePool(await browser.open());
    await pool.start();
    try {
      const isolated = Object.assign(Object.create(capturing) as Capturing, { pool });
      const capture = () => isolated.capture(site.url('/framed'), { stable: true, delay_ms: 300 });
      const [one, other] = [await capture(), await capture()];
      expect(one.facts.stable).toEqual(AGREED);
      expect(Buffer.compare(one.bytes, other.bytes)).toBe(0);
    } finally {
      await pool.close();
      await browser.close();
    }
  });
});

describe('a page without motion', () => {
  it.each(['/bands.html', '/scripts.html', '/text.html', '/lazy.html', '/sticky.html', '/charts.html'])(
    'looks the same with the option: %s',
    async (page) => {
      const options: Options = {
        full_page: true,
        optimize_for_speed: true,
        delay_ms: page === '/charts.html' ? 1_500 : 0,
      };
      const [plain, held] = [await capturing.capture(page, options), await stably(page, options)];
      expect(held.facts.stable?.agreed).toBe(true);
      expect(Buffer.compare(plain.bytes, held.bytes)).toBe(0);
    },
  );
});
