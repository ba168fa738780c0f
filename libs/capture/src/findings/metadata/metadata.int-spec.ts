import type { RequestListener } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Capturing } from '../../../../../test/support/capturing.js';
import { Site } from '../../../../../test/support/site.js';
import { FORMAT_NAMES } from '../../formats/index.js';
import type { CaptureOptions } from '../../request/capture-options.js';
import type { PageMetadata } from '../../record/page-metadata.js';

const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg"><title>A drawing</title><a href="/x"><text y="9">Go</text></a></svg>';
const served =
  (type: string, body: string): RequestListener =>
  (_, response) => {
    response.writeHead(200, { 'content-type': type }).end(body);
  };

/** Documents that lack what a page usually has, and what they say about themselves. */
const ODD: readonly (readonly [path: string, answer: RequestListener, said: Partial<PageMetadata>])[] = [
  ['/empty', served('text/html', ''), { title: null, words: 0 }],
  ['/drawing.svg', served('image/svg+xml', SVG), { title: 'A drawing', words: 1 }],
  [
    '/data.xml',
    served('text/xml', '<?xml version="1.0"?><a href="x"><h1>b</h1></a>'),
    { title: null, headings: [], links: [] },
  ],
  ['/notes.txt', served('text/plain', 'some plain text'), { words: 3, headings: [] }],
  [
    '/frames',
    served(
      'text/html',
      '<title>F</title><frameset cols="50%,50%"><frame src="/empty"><frame src="/notes.txt"></frameset>',
    ),
    { title: 'F', words: 0 },
  ],
  [
    '/without-a-root',
    served(
      'text/html',
      '<title>T</title><meta name=description content=D><script>document.documentElement.remove()</script>',
    ),
    { title: null, description: null, words: 0 },
  ],
];

let capturing: Capturing;
const odd = new Site(Object.fromEntries(ODD.map(([path, answer]) => [path, answer])));
beforeAll(async () => {
  capturing = await Capturing.open(2);
  await odd.open();
});
afterAll(() => Promise.all([capturing.close(), odd.close()]));

async function metadataOf(page: string | null, options: Partial<CaptureOptions> = {}): Promise<PageMetadata> {
  const { facts } = await capturing.capture(page, { metadata: true, ...options });
  if (!facts.page) throw new Error('There is no metadata.');
  return facts.page;
}
const ofHtml = (html: string, options: Partial<CaptureOptions> = {}): Promise<PageMetadata> =>
  metadataOf(null, { html, ...options });

describe('a page with everything', () => {
  let page: PageMetadata;
  const at = (path: string): string => new URL(path, capturing.site.url).href;
  beforeAll(async () => {
    page = await metadataOf('/about-itself.html');
  });

  it('reports its texts, addresses and dates', () => {
    expect(page).toMatchObject({
      title: 'Über uns',
      description: 'What the page is about.',
      lang: 'de-CH',
      canonical: at('/canonical?a=1#part'),
      robots: 'noindex, max-snippet:20',
      author: 'Ada Example, Bob',
      published: '2024-05-01T10:30:00.000Z',
      icons: [
        { url: at('/icon.png'), rel: 'shortcut icon', sizes: '32x32', type: 'image/png' },
        { url: 'https://cdn.example.com/touch.png', rel: 'apple-touch-icon', sizes: null, type: null },
        { url: 'data:image/svg+xml;base64,…', rel: 'icon', sizes: null, type: null },
      ],
      feeds: [
        { url: at('/feed.rss'), title: 'News', type: 'application/rss+xml' },
        { url: at('/feed.atom'), title: null, type: 'application/atom+xml' },
      ],
    });
  });

  it('reports the first of several properties, with absolute URLs', () => {
    expect(page.open_graph).toEqual({
      title: 'The title for others',
      image: at('/first.png'),
      'image:width': '1200',
      'article:published_time': '2024-05-01T12:30:00+02:00',
      'article:tag': 'Tag',
      description: 'summary',
    });
    expect(page.twitter).toEqual({ card: 'summary', image: at('/card.png') });
  });

  it('reports the JSON-LD that is JSON, and that some is not', () => {
    expect(page.json_ld).toEqual([
      expect.objectContaining({ '@type': 'Article', headline: 'News' }),
      { '@graph': [{ '@type': 'WebSite' }] },
      { '@type': 'Thing', name: 'line break' },
    ]);
    expect(page.truncated).toEqual(['json_ld']);
  });

  it('reports the headings that are displayed, in shadow roots as well', () => {
    expect(page.headings).toEqual([
      { level: 1, text: 'Hello world again' },
      { level: 3, text: 'The logo' },
      { level: 4, text: 'By its role' },
      { level: 2, text: 'In a shadow' },
    ]);
  });

  it('reports each link once, hidden ones and those of shadow roots as well', () => {
    const internal = (path: string, text: string) => ({ url: at(path), text, rel: '', internal: true });
    expect(page.links).toEqual([
      internal('/hidden', 'In a closed menu'),
      internal('/about-itself.html#part', 'A part'),
      internal('/twice', 'The second has text'),
      { url: 'https://www.example.com/', text: 'Elsewhere', rel: 'noopener external', internal: false },
      { url: 'mailto:someone@example.com', text: 'Write', rel: '', internal: false },
      internal('/area', 'An area'),
      internal('/in-svg', 'In SVG'),
      internal('/in-form', 'In a form'),
      internal('/in-shadow', 'Go to slotted name'),
    ]);
  });

  it('reports the images with the sizes of those that have loaded', () => {
    const missing = { width: null, height: null };
    expect(page.images).toEqual([
      { url: at('/green.svg'), alt: 'The logo', width: 100, height: 100 },
      { url: 'data:image/png;base64,…', alt: null, ...missing },
      { url: at('/green.svg?2x'), alt: null, width: 50, height: 50 },
      { url: at('/missing.png'), alt: 'Not there', ...missing },
      { url: at('/button.png'), alt: 'Go', ...missing },
    ]);
  });

  it('reports the fonts that texts have, and counts the visible words', () => {
    expect(page.fonts).toEqual(['DejaVu Sans', 'monospace', 'Box']);
    expect(page.words).toBe(50);
  });
});

describe('metadata', () => {
  it('is null when it is off, which is the default', async () => {
    for (const options of [{}, { metadata: false }]) {
      expect((await capturing.capture('/about-itself.html', options)).facts.page).toBeNull();
    }
  });

  it('is the same whatever the format, with several outputs, and without JavaScript', async () => {
    const html = '<title>T</title><h1>A <a href="/x">link</a></h1><noscript><h2>No script</h2></noscript>';
    const first = await ofHtml(html, { base_url: 'https://example.com/' });
    expect(first).toMatchObject({
      title: 'T',
      headings: [{ level: 1, text: 'A link' }],
      links: [{ url: 'https://example.com/x', text: 'link', internal: true }],
      words: 2,
    });
    for (const format of FORMAT_NAMES) {
      expect(await ofHtml(html, { base_url: 'https://example.com/', format })).toEqual(first);
    }
    const outputs = [
      { name: 'phone', viewport_width: 390 },
      { name: 'text', format: 'text' },
    ];
    const several = { base_url: 'https://example.com/', outputs } as Partial<CaptureOptions>;
    expect(await ofHtml(html, several)).toEqual(first);
    const scriptless = await ofHtml(html, { base_url: 'https://example.com/', javascript: false });
    expect(scriptless.headings.map(({ text }) => text)).toEqual(['A link', 'No script']);
  });

  it('has no relative URL of html without a base_url', async () => {
    const { links, images, canonical } = await ofHtml(
      '<link rel=canonical href=/c><a href="/x">a</a><a href="#b">b</a><a href="https://example.com/">c</a><img src="d.png">',
    );
    expect([canonical, images]).toEqual([null, []]);
    expect(links).toEqual([{ url: 'https://example.com/', text: 'c', rel: '', internal: false }]);
  });

  it('counts the links for which it has no room', async () => {
    const html = Array.from({ length: 1_100 }, (_, i) => `<a href="https://example.com/${i}">x</a>`).join('');
    const { links, more_links: more, truncated } = await ofHtml(html);
    expect([links.length, more, truncated]).toEqual([1_000, 100, ['links']]);
  });

  it('shows the page as it is captured', async () => {
    const { headings } = await ofHtml('<h1>Before</h1><h2>Gone</h2>', {
      js: `document.querySelector('h1').textContent = 'After'`,
      hide_selectors: ['h2'],
    });
    expect(headings).toEqual([{ level: 1, text: 'After' }]);
  });

  it.each(ODD)('is read of an odd document: %s', async (path, _, said) => {
    expect(await metadataOf(odd.url(path))).toMatchObject({ ...said, truncated: [] });
  });

  it('counts words across elements, and of languages without spaces', async () => {
    const words = async (html: string): Promise<number> => (await ofHtml(html)).words;
    expect(await words('one<b>word</b> <p>t<i></i>wo</p><p>thr<br>ee</p>')).toBe(4);
    expect(await words('<p>— … &amp; 3.14 e-mail l’été')).toBe(3);
    expect(await words('<p>私は学生です')).toBe(4);
    expect(await words('<p>ฉันชอบอ่านหนังสือ')).toBeGreaterThan(3);
    expect(await words('<p>한국어 문장')).toBe(2);
    expect(await words(`<p>${'x'.repeat(25_000)} ${'y '.repeat(10_000)}`)).toBe(10_001);
  });
});
