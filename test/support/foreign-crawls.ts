import { busy, gzipped, text, urlset, type Answer } from './crawl-site.js';

/** A site, what is asked of its sitemaps, and the outcome. */
export interface ForeignCrawl {
  readonly name: string;
  /** The answers of the site by path. */
  readonly site: (origin: string) => Readonly<Record<string, Answer>>;
  /** The start below the origin. */
  readonly start?: string;
  readonly rules?: Readonly<Record<string, unknown>>;
  readonly discovered: number;
  readonly skipped?: Readonly<Record<string, number>>;
  /** How often these paths are asked for. */
  readonly visits?: Readonly<Record<string, number>>;
}

const pagesOf = (origin: string, folder: string, count: number): string =>
  urlset(Array.from({ length: count }, (_, i) => `${origin}/${folder}/page-${i}`));

const indexOf = (urls: readonly string[]): string =>
  `<sitemapindex>${urls.map((url) => `<sitemap><loc>${url}</loc></sitemap>`).join('')}</sitemapindex>`;

/** A site of 3,600 pages, as a large site of documentation has them: one sitemap for each language, all compressed. */
const large = (origin: string): Readonly<Record<string, Answer>> => {
  const languages = ['de', 'en', 'fr', 'ja'];
  return {
    '/robots.txt': text(`User-agent: *\nAllow: /\n\nSitemap: ${origin}/sitemap.xml\n`),
    '/sitemap.xml': text(indexOf(languages.map((name) => `${origin}/${name}.xml.gz`)), 'application/xml'),
    ...Object.fromEntries(
      languages.map((name) => [`/${name}.xml.gz`, gzipped(pagesOf(origin, name, 900))] as const),
    ),
  };
};

/**
 * What the tests of Browsertrix Crawler (github.com/webrecorder/browsertrix-crawler at 2f9a57d, AGPL-3.0) ask of sitemaps and
 * robots.txt: its inputs and outcomes, on sites of our own in place of the live ones that it visits. Where it leaves a document
 * out for its type, ours is read.
 */
export const FOREIGN_CRAWLS: readonly ForeignCrawl[] = [
  { name: 'all sitemaps of an index', site: large, rules: { limit: 10_000 }, discovered: 3_600 },
  { name: 'as many pages as the limit', site: large, rules: { limit: 2_000 }, discovered: 2_000 },
  {
    name: '/sitemap.xml where robots.txt is missing',
    site: (origin) => ({ '/sitemap.xml': text(pagesOf(origin, 'a', 10), 'text/xml; charset=utf-8') }),
    discovered: 10,
    visits: { '/robots.txt': 1, '/sitemap.xml': 1 },
  },
  {
    name: 'robots.txt instead of /sitemap.xml where it names sitemaps, in any case of letters',
    site: (origin) => ({
      '/robots.txt': text(`SITEMAP:${origin}/1.xml\nsitemap:  ${origin}/2.xml \n`),
      '/1.xml': text(pagesOf(origin, 'a', 3), 'application/xml'),
      '/2.xml': text(pagesOf(origin, 'b', 4), 'text/html'),
      '/sitemap.xml': text(pagesOf(origin, 'c', 5), 'application/xml'),
    }),
    discovered: 7,
    visits: { '/sitemap.xml': 0 },
  },
  {
    name: 'nothing outside a narrow scope',
    site: (origin) => ({ '/sitemap.xml': text(pagesOf(origin, 'a', 600), 'application/xml') }),
    start: 'only/this',
    rules: { same: 'prefix' },
    discovered: 0,
    skipped: { filter: 600 },
  },
  {
    name: 'nothing that is excluded, and addresses with the same parameters once',
    site: (origin) => ({
      '/list.xml': text(
        urlset(['?A=1&amp;B=2', '?B=2&amp;A=1', 'community/1', 'page'].map((path) => `${origin}/${path}`)),
      ),
      '/robots.txt': text(`Sitemap: ${origin}/list.xml`),
    }),
    rules: { exclude: ['*/community*'] },
    discovered: 2,
    skipped: { filter: 1, duplicate: 1 },
  },
  {
    name: 'a sitemap whose site asks to come back later',
    site: (origin) => ({
      '/sitemap.xml': busy(1, { 'retry-after': '1' }, text(pagesOf(origin, 'a', 2), 'application/xml')),
    }),
    discovered: 2,
    visits: { '/sitemap.xml': 2 },
  },
];
