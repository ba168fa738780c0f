/** What must compile and what must not; `npm run check types` runs these tests, and Jest only the last one. */
import { describe, expect, it } from '@jest/globals';
import { OPTION_CATALOGUE, type CaptureClient, type CaptureFile, type CaptureRecord } from './index.js';
import type {
  CaptureFormat,
  CaptureOptionFields,
  CaptureOptions,
  CaptureOutput,
  JobOptions,
  LinkOptions,
} from './index.js';

const url = 'https://example.com/';
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

const ACCEPTED: CaptureOptions[] = [
  { url },
  { url, full_page: true, omit_background: true },
  { url, format: 'jpeg', quality: 80, image_width: 400 },
  { url, format: 'pdf', pdf_paper: 'a4', pdf_margin_top: '1cm' },
  { url, format: 'markdown', content: 'full', selector: 'main', compare_with: 'previous' },
  { url, format: 'mhtml', clean: true, wait_until: 'auto', device: 'iphone-15-pro' },
  { html: '<p>Hi', base_url: url, format: 'html' },
  {
    url,
    quality: 90,
    pdf_paper: 'a5',
    outputs: [
      { name: 'phone', device: 'iphone-15-pro', format: 'jpeg', quality: 70 },
      { name: 'print', format: 'pdf', pdf_landscape: true },
      { name: 'words', format: 'text', content: 'full' },
      { name: 'wide', viewport_width: 1_600, full_page: true },
    ],
  },
  // The output has the format of the capture.
  { url, format: 'pdf', outputs: [{ name: 'print', pdf_landscape: true }] },
];

const formatOf = (): CaptureFormat => 'webp';
/** A format that is known only at run time. */
ACCEPTED.push({ url, format: formatOf() });

export const REFUSED: unknown[] = [
  // @ts-expect-error -- neither url nor html
  { format: 'png' } satisfies CaptureOptions,
  // @ts-expect-error -- both
  { url, html: '<p>Hi' } satisfies CaptureOptions,
  // @ts-expect-error -- base_url is for html
  { url, base_url: url } satisfies CaptureOptions,
  // @ts-expect-error -- the default format is png
  { url, pdf_paper: 'a4' } satisfies CaptureOptions,
  // @ts-expect-error -- a PNG has no quality
  { url, format: 'png', quality: 80 } satisfies CaptureOptions,
  // @ts-expect-error -- the format has no such option, whichever it is
  { url, format: formatOf(), quality: 80 } satisfies CaptureOptions,
  // @ts-expect-error -- a PDF has no clip
  { url, format: 'pdf', full_page: true } satisfies CaptureOptions,
  // @ts-expect-error -- no such format
  { url, format: 'gif' } satisfies CaptureOptions,
  // @ts-expect-error -- no such option
  { url, fullPage: true } satisfies CaptureOptions,
  // @ts-expect-error -- a webhook is for a job
  { url, webhook_url: url } satisfies CaptureOptions,
  // @ts-expect-error -- an output has a name
  { format: 'png' } satisfies CaptureOutput,
  // @ts-expect-error -- the format of the output has no quality
  { name: 'a', format: 'pdf', quality: 80 } satisfies CaptureOutput,
  // @ts-expect-error -- of the capture, not of an output
  { name: 'a', clean: true } satisfies CaptureOutput,
  // @ts-expect-error -- everyone can read a link
  { url, headers: { a: 'b' } } satisfies LinkOptions,
  // @ts-expect-error -- a link is one file
  { url, outputs: [] } satisfies LinkOptions,
  // @ts-expect-error -- a link shows a page
  { html: '<p>Hi' } satisfies LinkOptions,
];

export const JOB: JobOptions = { url, format: 'pdf', pdf_tagged: false, webhook_url: url };

/** Never called: what the compiler makes of calls. */
export async function calls(client: CaptureClient, any: CaptureOptions): Promise<void> {
  const file: CaptureFile = await client.capture({ url, format: 'pdf', pdf_paper: 'a4' });
  const record: CaptureRecord = await client.capture({ url, response: 'json' });
  const outputs = [{ name: 'a' }, { name: 'b', format: 'text' as const }];
  const several: CaptureRecord = await client.capture({ url, outputs });
  const archive: CaptureFile = await client.capture({ url, outputs, response: 'zip' });
  const slices: CaptureRecord = await client.capture({ url, full_page: true, slice_height: 900 });
  // @ts-expect-error -- slices are several files
  await client.captureToFile({ url, full_page: true, slice_height: 900 }, 'a.png');
  const either: CaptureFile | CaptureRecord = await client.capture(any);
  // @ts-expect-error -- it may be a record
  const _file: CaptureFile = await client.capture(any);
  // @ts-expect-error -- the answer is a record
  await client.captureToFile({ url, response: 'json' }, 'a.png');
  // @ts-expect-error -- an expiry must be chosen
  await client.links.sign({ url }, {});
  // @ts-expect-error -- one of them
  await client.links.sign({ url }, { expiresInS: 60, neverExpires: true });
  REFUSED.push(file, record, several, archive, slices, either);
}

/** What is null, and when, as the API document says. */
export const FACTS: [
  Same<CaptureRecord['title'], string | null>,
  Same<CaptureRecord['truncated'], boolean | null>,
  Same<CaptureRecord['created_at'], string>,
  Same<NonNullable<CaptureOptions['full_page']>, boolean>,
] = [true, true, true, true];

/** Every option is in the union. */
type OptionName = CaptureOptions extends infer O ? (O extends unknown ? keyof O : never) : never;
export const ALL_NAMES: Same<OptionName, keyof CaptureOptionFields> = true;

describe('the options of a capture', () => {
  it('are those of the catalogue', () => {
    const names = new Set(OPTION_CATALOGUE.map(({ name }) => name));
    expect(ACCEPTED.flatMap((options) => Object.keys(options).filter((name) => !names.has(name)))).toEqual(
      [],
    );
  });
});
