import { beforeEach, describe, expect, it } from '@jest/globals';
import { CssUrls } from './css-urls.js';
import { PageUrls } from './page-urls.js';

const page = (hasBase = false) =>
  ({
    baseURI: 'https://example.com/a/b?c#d',
    querySelector: () => (hasBase ? {} : null),
  }) as unknown as Document;

describe(PageUrls.name, () => {
  let resources: Set<string>;
  let urls: PageUrls;
  beforeEach(() => {
    resources = new Set();
    urls = new PageUrls(page(), { css: CssUrls, resources, blobs: new Map([['blob:x', 'data:,x']]) });
  });

  it.each([
    ['c', 'https://example.com/a/c'],
    [' /c ', 'https://example.com/c'],
    ['//other.com', 'https://other.com/'],
    ['?x', 'https://example.com/a/b?x'],
    ['', 'https://example.com/a/b?c'],
    ['#top', '#top'],
    ['http:c', 'http://c/'],
    ['mailto:a@b', 'mailto:a@b'],
    ['javascript:a b', 'javascript:a b'],
    ['data:,a b', 'data:,a b'],
    ['blob:x', 'data:,x'],
    ['blob:y', 'blob:y'],
    ['https://[', 'https://['],
  ])('makes %j absolute', (url, expected) => {
    expect(urls.absolute(url)).toBe(expected);
  });

  it('makes a fragment absolute where the base is another document', () => {
    const based = new PageUrls(page(true), { css: CssUrls, resources, blobs: new Map() });
    expect(based.absolute('#top')).toBe('https://example.com/a/b?c#top');
  });

  it.each([
    ['a 1x, b 2x', 'https://example.com/a/a 1x, https://example.com/a/b 2x'],
    [' a,b 1x', 'https://example.com/a/a,b 1x'],
    ['a, b', 'https://example.com/a/a, https://example.com/a/b'],
    ['data:image/png;base64,AA== 2x,c 100w', 'data:image/png;base64,AA== 2x, https://example.com/a/c 100w'],
    [',, ', ''],
  ])('makes the candidates of %j absolute', (srcset, expected) => {
    expect(urls.srcset(srcset)).toBe(expected);
  });

  it('remembers what a document shows', () => {
    expect(urls.css('a { b: url(x.png#y); fill: url(#z); c: url(data:,x) }')).toBe(
      'a { b: url("https://example.com/a/x.png#y"); fill: url(#z); c: url(data:,x) }',
    );
    for (const url of ['i.png', '', 'about:blank', 'i.png']) urls.resource(url);
    expect([...resources]).toEqual(['https://example.com/a/x.png', 'https://example.com/a/i.png']);
  });

  it('reads a long list in linear time', () => {
    for (const part of [',', ' ', 'a ', 'a,', 'a 1x,']) urls.srcset(part.repeat(200_000));
  });
});
