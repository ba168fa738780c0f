import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { decodedBody } from './decoded-body.js';
import { parseRobots } from './robots.service.js';
import { SitemapParser, type SitemapEntry } from './sitemap-parser.js';

const ORIGIN = 'https://a.test';

/** What the parser finds in a document that arrives in pieces of this many bytes. */
function entriesOf(
  document: string,
  pieceBytes = 7,
): { readonly isSitemap: boolean; readonly found: SitemapEntry[] } {
  const parser = new SitemapParser();
  const bytes = Buffer.from(document);
  const found: SitemapEntry[] = [];
  for (let at = 0; at < bytes.length; at += pieceBytes)
    found.push(...parser.read(bytes.subarray(at, at + pieceBytes)));
  found.push(...parser.end());
  return { isSitemap: parser.isSitemap, found };
}

const urlsOf = (document: string): string[] => entriesOf(document).found.map(({ url }) => url);

describe(SitemapParser, () => {
  it.each<[string, string, readonly string[]]>([
    ['entities', `<urlset><url><loc>${ORIGIN}/?a=1&amp;b=2</loc></url></urlset>`, [`${ORIGIN}/?a=1&b=2`]],
    [
      'CDATA and white space',
      `<urlset><url><loc>\n<![CDATA[${ORIGIN}/ä]]> </loc></url></urlset>`,
      [`${ORIGIN}/ä`],
    ],
    [
      'prefixes',
      `<s:urlset xmlns:s="x"><s:url><s:loc>${ORIGIN}/p</s:loc></s:url></s:urlset>`,
      [`${ORIGIN}/p`],
    ],
    [
      'pictures, which are no pages',
      `<urlset><url><loc>${ORIGIN}/p</loc><image:image><image:loc>${ORIGIN}/i.png</image:loc></image:image></url></urlset>`,
      [`${ORIGIN}/p`],
    ],
    [
      'other languages',
      `<urlset><url><loc>${ORIGIN}/en</loc><xhtml:link rel="alternate" hreflang="de" href="${ORIGIN}/de"/></url></urlset>`,
      [`${ORIGIN}/en`, `${ORIGIN}/de`],
    ],
    [
      'what a fault leaves',
      `<urlset><url><loc>${ORIGIN}/a & b</loc></url><url><loc>${ORIGIN}/2</loc></url>`,
      [`${ORIGIN}/a & b`, `${ORIGIN}/2`],
    ],
    ['texts', `\uFEFF${ORIGIN}/1\r\nno address\n${ORIGIN}/2`, [`${ORIGIN}/1`, `${ORIGIN}/2`]],
    ['no other documents', `<html><a href="${ORIGIN}/x">x</a><url><loc>${ORIGIN}/y</loc></url></html>`, []],
    ['no other schemes', '<urlset><url><loc>file:///etc/passwd</loc></url></urlset>', []],
  ])('reads %s', (_, document, expected) => {
    expect(urlsOf(document)).toEqual(expected);
  });

  it('tells sitemaps of an index from pages', () => {
    const { isSitemap, found } = entriesOf(
      `<sitemapindex><sitemap><loc>${ORIGIN}/1.xml</loc></sitemap></sitemapindex>`,
    );
    expect([isSitemap, found]).toEqual([true, [{ kind: 'sitemap', url: `${ORIGIN}/1.xml` }]]);
  });

  it('expands no entity of a document type', () => {
    const laughs = '<!ENTITY l0 "ha"><!ENTITY l1 "&l0;&l0;&l0;"><!ENTITY x SYSTEM "file:///etc/passwd">';
    const [url] = urlsOf(`<!DOCTYPE u [${laughs}]><urlset><url><loc>${ORIGIN}/&l1;&x;</loc></url></urlset>`);
    expect(url).not.toMatch(/ha|root/);
  });

  it('stops where elements are nested without an end', () => {
    const deep = '<a>'.repeat(100);
    expect(
      urlsOf(`<urlset><url>${deep}<loc>${ORIGIN}/x</loc></url><url><loc>${ORIGIN}/y</loc></url></urlset>`),
    ).toEqual([]);
  });
});

describe(decodedBody, () => {
  const read = async (body: Buffer, maxBytes = 1_000): Promise<string> => {
    const parts: Buffer[] = [];
    const pieces = [body.subarray(0, 1), body.subarray(1)];
    for await (const part of decodedBody(piecesOf(pieces), maxBytes)) parts.push(part);
    return Buffer.concat(parts).toString();
  };

  async function* piecesOf(pieces: readonly Buffer[]): AsyncGenerator<Buffer> {
    for (const piece of pieces) yield await Promise.resolve(piece);
  }

  it('reads what is compressed not at all, once or twice', async () => {
    const plain = Buffer.from('a sitemap');
    for (const body of [plain, gzipSync(plain), gzipSync(gzipSync(plain))])
      expect(await read(body)).toBe('a sitemap');
    expect(await read(Buffer.from(''))).toBe('');
  });

  it('ends a bomb at its limit', async () => {
    expect(await read(gzipSync(Buffer.alloc(50_000_000)), 1_234)).toHaveLength(1_234);
  });
});

describe(parseRobots, () => {
  // The cases of RFC 9309 and of Google's parser that sites use.
  it.each<[string, string, boolean]>([
    ['', '/', true],
    ['User-agent: *\nDisallow:', '/', true],
    ['User-agent: *\nDisallow: /', '/', false],
    ['User-agent: *\nDisallow: /\nAllow: /open', '/open/1', true],
    ['User-agent: *\nDisallow: /fish', '/Fish', true],
    ['User-agent: *\nDisallow: /*.php$', '/a.php?x=1', true],
    ['User-agent: *\nDisallow: /*.php$', '/a.php', false],
    ['User-agent: other\nDisallow: /', '/', true],
    ['User-agent: other\nUser-agent: capture-service\nDisallow: /', '/', false],
    ['User-agent: *\nDisallow: /\n\nUser-agent: capture-service\nAllow: /', '/', true],
    ['user-agent:*\r\ndisallow:/x # comment', '/x', false],
    ['<html>not found</html>', '/', true],
    ['User-agent: *\nDisallow: /%7Ejoe/', '/~joe/', false],
  ])('%j allows %s: %s', (content, path, expected) => {
    expect(parseRobots(ORIGIN, content).allows(`${ORIGIN}${path}`)).toBe(expected);
  });

  it.each([
    ['User-agent: *\nCrawl-delay: 2', 2],
    ['User-agent: *\nCrawl-delay: 0.5', 1],
    ['User-agent: *\nCrawl-delay: soon', 0],
    ['User-agent: other\nCrawl-delay: 9', 0],
  ])('%j asks for a delay of %i s', (content, expected) => {
    expect(parseRobots(ORIGIN, content).delayS).toBe(expected);
  });

  it('finds sitemaps wherever they are named', () => {
    const { sitemaps } = parseRobots(
      ORIGIN,
      `Sitemap: ${ORIGIN}/1.xml\nUser-agent: x\nDisallow: /\nsitemap: ${ORIGIN}/2.xml`,
    );
    expect(sitemaps).toEqual([`${ORIGIN}/1.xml`, `${ORIGIN}/2.xml`]);
  });
});
