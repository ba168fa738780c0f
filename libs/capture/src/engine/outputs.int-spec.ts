import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { RESULT, type CapturedFile } from '@app/capture';
import { AppError } from '@app/kernel';
import { Capturing } from '../../../../test/support/capturing.js';
import { Site } from '../../../../test/support/site.js';

let capturing: Capturing;

const COLOURS = `body { background: #0000ff } @media (max-width: 1000px) { body { background: #00ff00 } }
  @media (max-width: 600px) { body { background: #ff0000 } }`;
const RESPONSIVE = `<meta name="viewport" content="width=device-width"><style>${COLOURS}</style>`;
const WHEN_NARROW = (script: string): string =>
  `<script>addEventListener('resize', () => { if (innerWidth < 600) { ${script} } })</script>`;
const pages = new Site({
  '/responsive': `<title>Responsive</title>${RESPONSIVE}`,
  '/window': `${RESPONSIVE}<body><script>document.title =
    innerWidth + (matchMedia('(pointer: coarse)').matches ? ' coarse' : ' fine')</script>`,
  '/agent': `${RESPONSIVE}<body><script>document.body.append(navigator.userAgent)</script>`,
  '/stuck': `${RESPONSIVE}<body>${WHEN_NARROW('for (;;);')}`,
  '/leaves': `${RESPONSIVE}<body>${WHEN_NARROW("location.href = '/arrived'")}`,
  '/arrived': `<title>Arrived</title>${RESPONSIVE}`,
  '/blank': '<title>Blank</title>',
  '/moving': `${RESPONSIVE}<style>@keyframes turn { to { rotate: 1turn } } b { animation: turn 2s infinite; display: block }
    </style><body><b>turns</b><p></p><script>
    setInterval(() => { document.querySelector('p').textContent = Date.now() + ' ' + Math.random() }, 90)</script>`,
});

beforeAll(async () => {
  await pages.open();
  capturing = await Capturing.open();
});
afterAll(() => Promise.all([capturing.close(), pages.close()]));

const PHONE = {
  viewport_width: 390,
  viewport_height: 700,
  device_scale_factor: 2,
  mobile: true,
  touch: true,
};
const SMALL = { viewport_width: 800, viewport_height: 500 };

/** Each changes the page in a way of its own. */
const OUTPUTS = {
  window: {},
  full: { full_page: true },
  top: { full_page: true, sticky: 'top' },
  hidden: { sticky: 'hide' },
  inner: { selector: '#inner' },
  lower: { scroll_to_selector: '#revealed' },
  clip: { clip_x: 10, clip_y: 20, clip_width: 300, clip_height: 700, format: 'webp', quality: 90 },
  clear: { omit_background: true },
  phone: { ...PHONE, full_page: true },
  tablet: { viewport_width: 600, format: 'jpeg' },
  print: { format: 'pdf' },
  // The others scroll, so that lazy content is there for all of them.
  words: { format: 'text', scroll: true },
} as const;
type Name = keyof typeof OUTPUTS;
const NAMES = Object.keys(OUTPUTS) as Name[];

type Stated = NonNullable<Parameters<Capturing['capture']>[1]>;
const stated = (options: object): Stated => options;

function capture(names: readonly Name[], options: object = {}): ReturnType<Capturing['capture']> {
  const outputs = names.map((name) => ({ name, ...OUTPUTS[name] }));
  return capturing.capture('/outputs.html', stated({ ...SMALL, ...options, outputs }));
}

function several(
  path: string,
  outputs: readonly object[],
  options: object = {},
  limits: Parameters<Capturing['capture']>[2] = {},
): ReturnType<Capturing['capture']> {
  // Pages without a text would be waited for.
  const all = { wait_until: 'load', ...options, outputs };
  return capturing.capture(pages.url(path), stated(all), limits);
}

/** The colour of the last pixel, in hexadecimal. */
async function colourOf({ bytes }: CapturedFile): Promise<string> {
  const { data, info } = await sharp(bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return data.subarray(-info.channels).toString('hex');
}

/** What the file shows; the bytes of a PDF hold the time. */
function contentOf({ format, bytes, facts }: CapturedFile): unknown {
  return format === 'pdf' ? facts.pages : Buffer.from(bytes).toString('base64');
}

describe('several outputs', () => {
  let alone: Record<string, unknown>;
  beforeAll(async () => {
    const entries = [];
    for (const name of NAMES) {
      const { files } = await capturing.capture('/outputs.html', stated({ ...SMALL, ...OUTPUTS[name] }));
      entries.push([name, contentOf(files[0])]);
    }
    alone = Object.fromEntries(entries) as typeof alone;
  });

  it.each([
    ['in order', NAMES.slice(0, 10)],
    ['backwards', NAMES.toReversed().slice(0, 10)],
    [
      'mixed',
      ['print', 'phone', 'lower', 'top', 'window', 'words', 'full', 'tablet', 'inner', 'hidden'] as const,
    ],
  ])('are each as if they were the only one, %s', async (_, names) => {
    const { files, facts } = await capture(names);
    expect(files.map(({ name }) => name)).toEqual(names);
    const differing = files.filter((file) => contentOf(file) !== alone[file.name]);
    expect(differing.map(({ name }) => name)).toEqual([]);
    expect(facts).toMatchObject({ complete: true, width: files[0].facts.width, truncated: false });
  });

  it('are made by one navigation, in the windows of a phone, a tablet and a desktop', async () => {
    pages.forget();
    const { files } = await several('/responsive', [
      { name: 'phone', ...PHONE },
      { name: 'tablet', viewport_width: 768, viewport_height: 1_024 },
      { name: 'desktop', viewport_width: 1_280, viewport_height: 800 },
    ]);
    expect(pages.requestsTo('/responsive')).toHaveLength(1);
    const colours = await Promise.all(files.map(colourOf));
    expect(colours).toEqual(['ff0000', '00ff00', '0000ff']);
    expect(files.map(({ facts }) => [facts.width, facts.height])).toEqual([
      [780, 1_400],
      [768, 1_024],
      [1_280, 800],
    ]);
  });

  it.each([
    ['that of the capture', { viewport_width: 1_000 }, [{ name: 'a', ...PHONE }], '1000 fine'],
    ['that of the first output', {}, [{ name: 'a', ...PHONE }, { name: 'b' }], '390 coarse'],
    ['the default', {}, [{ name: 'a' }, { name: 'b', ...PHONE }], '1280 fine'],
  ])('navigate in one window: %s', async (_, options, outputs, title) => {
    const { facts, files } = await several('/window', outputs, options);
    expect(facts.title).toBe(title);
    expect(files).toHaveLength(outputs.length);
  });

  it('are not waited for when no script of the page takes the other window', async () => {
    const outputs = [{ name: 'window' }, { name: 'phone', ...PHONE }];
    const { facts } = await capturing.capture('/responsive', stated({ ...SMALL, outputs }));
    expect(facts.readiness).toMatchObject({ by: 'quiet', waited_for: [] });
  });

  it('have the user agent of the device that the page was loaded for', async () => {
    const device = 'iphone-15-pro';
    const outputs = [
      { name: 'a', format: 'text' },
      { name: 'b', device, format: 'text' },
    ];
    const textsOf = async (all: object[]): Promise<boolean[]> => {
      const { files } = await several('/agent', all);
      return files.map(({ bytes }) => Buffer.from(bytes).toString().includes('iPhone'));
    };
    expect(await textsOf(outputs)).toEqual([false, false]);
    expect(await textsOf(outputs.toReversed())).toEqual([true, true]);
  });

  it('share the time of the capture, and the error names the one that was being made', async () => {
    const outputs = [{ name: 'quick' }, { name: 'stuck', viewport_width: 500 }];
    const failure = await capturing.failure(
      pages.url('/stuck'),
      stated({ outputs, timeout_ms: 4_000, wait_until: 'load' }),
    );
    expect(failure).toMatchObject({
      code: 'capture_timeout',
      message: expect.stringMatching(/at the output stuck/),
    });
  });

  it.each([
    ['selector_not_found', { selector: '#nothing' }, {}],
    ['selector_not_found', { scroll_to_selector: '#nothing' }, {}],
    ['clip_out_of_bounds', { clip_x: 0, clip_y: 9_000, clip_width: 9, clip_height: 9 }, {}],
    [
      'resource_limit',
      { format: 'webp', device_scale_factor: 4, viewport_width: 7_000, viewport_height: 16 },
      {},
    ],
    ['resource_limit', { full_page: true }, { maxBytes: 9_000 }],
    ['page_range', { format: 'pdf', pdf_page_ranges: '50' }, {}],
  ])('fail with %s of an output: %j', async (code, options, limits) => {
    const outputs = [{ name: 'fine' }, { name: 'wrong', ...options }];
    const all = { ...SMALL, wait_until: 'load', outputs };
    const failure = await capturing.failure('/outputs.html', stated(all), limits);
    expect(failure).toMatchObject({ code, message: expect.stringMatching(/^Output wrong: /) });
  });

  it('have no more bytes together than a single file may', async () => {
    const [one] = (await several('/responsive', [{ name: 'a' }])).files;
    const maxBytes = one.bytes.length * 3 + 10;
    const outputs = (count: number): object[] => Array.from({ length: count }, (_, i) => ({ name: `o${i}` }));
    expect((await several('/responsive', outputs(3), {}, { maxBytes })).files).toHaveLength(3);
    await expect(several('/responsive', outputs(4), {}, { maxBytes })).rejects.toMatchObject({
      code: 'resource_limit',
      message: expect.stringMatching(/^Output o3: .* all files together may have/),
    });
  });

  it('are made of the page that the first one navigated to by being made', async () => {
    // It leaves when it is as narrow as the second output.
    const outputs = [{ name: 'wide' }, { name: 'narrow', ...PHONE, full_page: true }, { name: 'again' }];
    const { files, facts } = await several('/leaves', outputs);
    expect(facts.title).toBe('Arrived');
    expect(await Promise.all(files.map(colourOf))).toEqual(['0000ff', 'ff0000', '0000ff']);
  });

  it('are stable each, in all windows, and the record reports one that is not', async () => {
    const outputs = [{ name: 'a' }, { name: 'b', ...PHONE, full_page: true }, { name: 'c', format: 'text' }];
    const twice = [];
    for (let i = 0; i < 2; i += 1) twice.push(await several('/moving', outputs, { stable: true }));
    const [one, other] = twice.map(({ files }) => files.map(contentOf));
    expect(one).toEqual(other);
    const [{ files, facts } = { files: [], facts: null }] = twice;
    expect(files.map((file) => file.facts.stable?.agreed)).toEqual([true, true, true]);
    expect(facts?.stable?.agreed).toBe(true);
    // A resized page runs its scripts, which the standstill had stopped.
    expect(await Promise.all(files.slice(0, 2).map(colourOf))).toEqual(['0000ff', 'ff0000']);
  });

  it('are judged by the first picture, whatever their order', async () => {
    const outputs = [{ name: 'words', format: 'text' }, { name: 'blank' }, { name: 'sheet', format: 'pdf' }];
    const { facts } = await several('/blank', outputs);
    expect(facts.verdict).toMatchObject({ kind: 'blank' });
    await expect(several('/blank', outputs, { fail_on_verdict: ['blank'] })).rejects.toMatchObject({
      code: 'condition_failed',
    });
  });

  it('expand a scroll container each by itself, and leave it as it was', async () => {
    const alone = await capturing.capture('/app-shell.html', stated(SMALL));
    const { files } = await capturing.capture(
      '/app-shell.html',
      stated({ ...SMALL, outputs: [{ name: 'full', full_page: true }, { name: 'window' }] }),
    );
    const [full, window] = files;
    expect(full.facts.height).toBeGreaterThan(1_000);
    expect(window && contentOf(window)).toBe(contentOf(alone.files[0]));
  });

  it('stop when the capture is canceled', async () => {
    const controller = new AbortController();
    const outputs = [{ name: 'a' }, { name: 'b', viewport_width: 500 }];
    const stopped = several('/stuck', outputs, { wait_until: 'load' }, { signal: controller.signal });
    setTimeout(() => {
      controller.abort(new AppError('unavailable'));
    }, 1_500);
    await expect(stopped).rejects.toMatchObject({ code: 'unavailable' });
    expect((await several('/responsive', [{ name: 'a' }])).facts.complete).toBe(true);
  });

  it('are named like the file of a capture without outputs only when they say so', async () => {
    const { files } = await capturing.capture('/outputs.html');
    expect(files.map(({ name }) => name)).toEqual([RESULT]);
  });
});
