import { describe, expect, it } from '@jest/globals';
import { toMetadata, unreadMetadata } from './to-metadata.js';

const PAGE = { url: 'https://www.example.co.uk/a/b.html', base: 'https://www.example.co.uk/a/b.html' };
const x = (count: number): string => 'x'.repeat(count);

const EMPTY = {
  title: null,
  description: null,
  lang: null,
  canonical: null,
  robots: null,
  author: null,
  published: null,
  open_graph: {},
  twitter: {},
  icons: [],
  feeds: [],
  json_ld: [],
  headings: [],
  links: [],
  images: [],
  fonts: [],
  words: 0,
  more_links: 0,
  truncated: [],
};

describe(toMetadata, () => {
  it.each([undefined, null, 'text', 7, [], {}, { cut: 'title', meta: 7, links: { length: 1e9 } }])(
    'is empty for %j, which no reader returns',
    (raw) => {
      expect(toMetadata(raw)).toEqual(EMPTY);
    },
  );

  it('leaves out what has another shape, without failing', () => {
    const odd = [null, 7, {}, [], [{}], [null, null, null, null], ['x', 'y', 'z', 'w'], [[], [], [], []]];
    const raw = { title: 7, lang: {}, headings: odd, links: odd, images: odd, meta: odd, headLinks: odd };
    expect(toMetadata({ ...raw, jsonLd: odd, fonts: odd, words: NaN, cut: odd })).toEqual({
      ...EMPTY,
      headings: [{ level: 1, text: 'y' }],
      truncated: ['json_ld'],
    });
  });

  it('makes texts that can be stored', () => {
    const text = 'a\0b\ud800c';
    const { title, headings, open_graph } = toMetadata({
      title: text,
      headings: [[2, text]],
      meta: [
        ['og:title', text],
        ['og:a\0', text],
        ['og:__proto__', text],
        ['og:constructor', 'kept'],
      ],
    });
    expect([title, headings]).toEqual(['a b\ufffdc', [{ level: 2, text: 'a b\ufffdc' }]]);
    expect(Object.entries(open_graph)).toEqual([
      ['title', 'a b\ufffdc'],
      ['constructor', 'kept'],
    ]);
  });

  it('cuts texts, leaves out URLs that are too long, and names both', () => {
    const metadata = toMetadata({
      ...PAGE,
      title: x(2_001),
      lang: x(2_000),
      links: [
        [`https://example.com/${x(2_000)}`, 'a', ''],
        ['https://example.com/', x(2_001), ''],
      ],
      images: [[`https://example.com/${x(2_000)}`, 'a', 1, 1]],
      headLinks: [{ rel: 'canonical', url: `https://example.com/${x(2_000)}` }],
    });
    expect(metadata.title).toBe(`${x(1_999)}…`);
    expect(metadata.links).toEqual([
      { url: 'https://example.com/', text: `${x(1_999)}…`, rel: '', internal: false },
    ]);
    expect(metadata).toMatchObject({ canonical: null, images: [], lang: x(2_000) });
    expect(metadata.truncated).toEqual(['title', 'canonical', 'links', 'images']);
  });

  it('holds less than 640 kB, whatever the page has', () => {
    const text = '\u4e16'.repeat(2_100);
    const many = <T>(item: (i: number) => T): T[] => Array.from({ length: 1_100 }, (_, i) => item(i));
    const metadata = toMetadata({
      ...PAGE,
      ...Object.fromEntries(['title', 'lang'].map((name) => [name, text])),
      meta: [
        ...['description', 'robots', 'author', 'date'].map((name) => [name, text]),
        ...many((i) => [`og:p${i}`, text]),
        ...many((i) => [`twitter:p${i}`, text]),
      ],
      headLinks: many((i) => ({
        rel: 'icon alternate',
        url: `https://e.com/${i}`,
        sizes: text,
        type: text,
        title: text,
      })),
      jsonLd: many(() => JSON.stringify({ text })),
      headings: many(() => [1, text]),
      links: many((i) => [`https://e.com/${i}`, text, text]),
      images: many((i) => [`https://e.com/${i}`, text, 1, 1]),
      fonts: many(() => text),
      words: Infinity,
      moreLinks: 7,
    });
    expect(Buffer.byteLength(JSON.stringify(metadata))).toBeLessThan(640_000);
    expect(metadata.words).toBe(2 ** 31 - 1);
    expect(metadata.links.length + metadata.more_links).toBe(1_107);
    expect(metadata.truncated).toEqual(
      expect.arrayContaining(['title', 'robots', 'icons', 'json_ld', 'headings', 'links', 'images', 'fonts']),
    );
  });

  it.each([
    ['https://example.co.uk/', true],
    ['http://blog.example.co.uk:8080/x', true],
    ['https://other.co.uk/', false],
    ['mailto:someone@www.example.co.uk', false],
    ['tel:+41', false],
  ])('knows whether %s is internal', (url, internal) => {
    expect(toMetadata({ ...PAGE, links: [[url, '', '']] }).links).toEqual([
      { url, text: '', rel: '', internal },
    ]);
  });

  it.each([
    'javascript:alert(1)',
    ' Java\nScript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'blob:https://example.com/1',
    'file:///etc/passwd',
    'http://html.invalid/relative',
    '/relative',
    '',
  ])('has no link to %j', (url) => {
    expect(toMetadata({ ...PAGE, links: [[url, 'x', '']] }).links).toEqual([]);
  });

  it.each([
    ['meta before all', { author: 'Meta', 'article:author': 'Open Graph' }, '{"author": "Linked"}', 'Meta'],
    ['JSON-LD', { 'article:author': 'Open Graph' }, '{"author": [{"name": "A"}, "B"]}', 'A, B'],
    ['Open Graph', { 'article:author': 'Open Graph' }, '{"review": {"author": "No"}}', 'Open Graph'],
    ['markup, because a URL is no name', { 'article:author': 'https://example.com/' }, '{}', 'Marked'],
  ])('takes the author from %s', (_, meta, script, author) => {
    const raw = { meta: Object.entries(meta), jsonLd: [script], authors: ['', 'Marked'] };
    expect(toMetadata(raw).author).toBe(author);
  });

  it.each([
    ['Open Graph', { 'article:published_time': '2024-01-01', date: '2024-03-01' }, '2024-01-01'],
    ['JSON-LD when Open Graph is not understood', { 'article:published_time': 'now' }, '2024-02-01'],
  ])('takes the date of publication from %s', (_, meta, published) => {
    const raw = {
      meta: Object.entries(meta),
      jsonLd: ['{"datePublished": "2024-02-01"}'],
      dates: ['2024-04-01'],
    };
    expect(toMetadata(raw).published).toBe(published);
  });

  it('takes the date of publication from markup when nothing else has one', () => {
    const raw = { meta: [['date', '1.1.2024']], dates: ['no date', '2024-04-01T10:00Z'] };
    expect(toMetadata(raw).published).toBe('2024-04-01T10:00:00.000Z');
  });
});

describe(unreadMetadata, () => {
  it('is empty and names every field', () => {
    const { truncated, ...fields } = EMPTY;
    expect(unreadMetadata()).toEqual({ ...fields, truncated: Object.keys(fields) });
    expect(truncated).toEqual([]);
  });
});
