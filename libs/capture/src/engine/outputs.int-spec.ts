import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RESULT, type CapturedFile } from '@app/capture';
import { Capturing } from '../../../../test/support/capturing.js';

let capturing: Capturing;

beforeAll(async () => {
  capturing = await Capturing.open();
});
afterAll(() => capturing.close());

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
const stated = (options: object): Stated => options as Stated;

function capture(names: readonly Name[], options: object = {}): ReturnType<Capturing['capture']> {
  const outputs = names.map((name) => ({ name, ...OUTPUTS[name] }));
  return capturing.capture('/outputs.html', stated({ ...SMALL, ...options, outputs }));
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

  it('are named like the file of a capture without outputs only when they say so', async () => {
    const { files } = await capturing.capture('/outputs.html');
    expect(files.map(({ name }) => name)).toEqual([RESULT]);
  });
});
