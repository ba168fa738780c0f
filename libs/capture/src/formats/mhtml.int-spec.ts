import type { RequestListener } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Capturing } from '../../../../test/support/capturing.js';
import { IsolatingBrowser } from '../../../../test/support/isolating-browser.js';
import { canProvideManuals, openManuals } from '../../../../test/support/manuals.js';
import {
  differingPixels,
  partsOf,
  PICTURE_HEIGHT,
  pictureOfArchive,
  savedSite,
} from '../../../../test/support/saved-site.js';
import { Site } from '../../../../test/support/site.js';

const html =
  (body: string): RequestListener =>
  (_, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(`<!doctype html>${body}`);
  };
const bytes =
  (length: number): RequestListener =>
  (_, response) => {
    response.writeHead(200, { 'content-type': 'image/bmp' }).end(bitmap(length));
  };

/** A picture of any length: black lines of 1,000 px. */
function bitmap(length: number): Buffer {
  const lines = Math.floor(length / 4_000);
  const head = Buffer.alloc(54);
  head.write('BM', 'latin1');
  head.writeUInt32LE(54 + lines * 4_000, 2);
  head.writeUInt32LE(54, 10);
  head.writeUInt32LE(40, 14);
  head.writeInt32LE(1_000, 18);
  head.writeInt32LE(lines, 22);
  head.writeUInt16LE(1, 26);
  head.writeUInt16LE(32, 28);
  return Buffer.concat([head, Buffer.alloc(lines * 4_000)]);
}

const site = new Site({
  '/title': html(`<title>Ümlaut\r\nX-Header: 1 — ${'😀'.repeat(400)}</title><p>text`),
  '/heavy': html('<img src="/big.bmp?1"><img src="/big.bmp?2" style="width: 10px">'),
  '/big.bmp?1': bytes(3_000_000),
  '/big.bmp?2': bytes(3_000_000),
  '/foreign': (_, response) => {
    html(`<p>around</p><iframe src="${site.url('/inner', 'localhost')}"></iframe>`)(_, response);
  },
  '/inner': html('<p>inner</p><iframe srcdoc="<b>innermost</b>"></iframe>'),
  '/hanging': (_, response) => {
    html(`<p>around</p><iframe src="${site.url('/loop', 'localhost')}"></iframe>`)(_, response);
  },
  '/loop': html('<p>looping</p><script>onload = () => setTimeout(() => { for (;;); }, 300)</script>'),
  '/scripts': html(
    '<body><script>document.write("written")</script><noscript>none</noscript><p onclick="x">p',
  ),
});

let capturing: Capturing;
beforeAll(async () => {
  await Promise.all([site.open(), savedSite.open()]);
  capturing = await Capturing.open();
});
afterAll(() => Promise.all([capturing.close(), site.close(), savedSite.close()]));

async function archiveOf(
  url: string,
  options: Parameters<Capturing['capture']>[1] = {},
  from = capturing,
): Promise<Uint8Array> {
  return (await from.capture(url, { format: 'mhtml', ...options })).bytes;
}
const frameTexts = (archive: Uint8Array): string[] =>
  partsOf(archive).flatMap(({ type, text }) => (type.startsWith('text/html') ? text : []));

describe('an archive of a page', () => {
  // Chromium greys out the fields of all archives.
  const hidden = ['input:not([type=image])', 'select', 'textarea'];
  const options = { hide_selectors: hidden, mask_selectors: ['.masked'] };

  it('looks like the page without any network, and the same page gives the same bytes', async () => {
    const url = savedSite.url('/everything');
    const live = await capturing.capture(url, { full_page: true, max_height: PICTURE_HEIGHT, ...options });
    const [one, other] = [
      await archiveOf(url, { ...options, stable: true }),
      await archiveOf(url, { ...options, stable: true }),
    ];
    expect(Buffer.compare(one, other)).toBe(0);
    expect(await differingPixels(live.bytes, await pictureOfArchive(capturing.pool, one))).toBe(0);
    const text = Buffer.from(one).toString('latin1');
    expect(text).not.toMatch(/hunter2|secret|<script|<noscript|caret-color|mask-/i);
    expect(Math.max(...text.split('\r\n').map(({ length }) => length))).toBeLessThan(200);
  });

  (canProvideManuals() ? it : it.skip)('looks like pages that nobody wrote for a test', async () => {
    const manuals = await openManuals();
    try {
      for (const url of manuals.pages(1)) {
        const live = await capturing.capture(url, { full_page: true, max_height: PICTURE_HEIGHT });
        const opened = await pictureOfArchive(capturing.pool, await archiveOf(url));
        expect([url, await differingPixels(live.bytes, opened)]).toEqual([url, 0]);
      }
    } finally {
      manuals.close();
    }
  });

  it('has a head that no title of a page can break', async () => {
    const text = Buffer.from(await archiveOf(site.url('/title'))).toString('latin1');
    const [head = ''] = text.split('\r\n\r\n', 1);
    expect(head.split(/\r\n(?!\s)/).map((line) => line.split(':', 1)[0])).toEqual([
      ...['From', 'Snapshot-Content-Location', 'Subject', 'Date', 'MIME-Version', 'Content-Type'],
    ]);
    const words = [...head.matchAll(/=\?utf-8\?B\?([^?]*)\?=/g)].map(([, word = '']) =>
      Buffer.from(word, 'base64').toString(),
    );
    expect(words.join('')).toMatch(/^Ümlaut X-Header: 1 — 😀+$/u);
  });

  it('has no scripts, and what scripts wrote', async () => {
    const [text] = frameTexts(await archiveOf(site.url('/scripts')));
    expect(text).toContain('<body>written<p onclick="x">p</p></body>');
    const [plain] = frameTexts(await archiveOf(site.url('/scripts'), { javascript: false }));
    expect(plain).toContain('<noscript>none</noscript>');
  });

  it('ends as resource_limit when the page and its resources have more bytes than allowed', async () => {
    for (const maxBytes of [5_000_000, 7_000_000, 1_000]) {
      const error = await capturing.failure(site.url('/heavy'), { format: 'mhtml' }, { maxBytes });
      expect([error.code, error.facts.phase]).toEqual(['resource_limit', 'render']);
      expect(error.message).toContain(String(maxBytes));
    }
    expect((await archiveOf(site.url('/heavy'))).length).toBeGreaterThan(8_000_000);
  });

  it('has the frames of other sites, in whichever process they run', async () => {
    const expected = ['around', 'inner', 'innermost'].map(
      (text) => expect.stringContaining(`>${text}<`) as unknown,
    );
    expect(frameTexts(await archiveOf(site.url('/foreign')))).toEqual(expected);
    const browser = new IsolatingBrowser();
    const isolated = await Capturing.open(1, { settings: await browser.open() });
    try {
      expect(frameTexts(await archiveOf(site.url('/foreign'), {}, isolated))).toEqual(expected);
      const options = { wait_until: 'domcontentloaded', delay_ms: 1_500, timeout_ms: 20_000 } as const;
      expect(frameTexts(await archiveOf(site.url('/hanging'), options, isolated))).toEqual([expected[0]]);
    } finally {
      await isolated.close();
      await browser.close();
    }
  });
});
