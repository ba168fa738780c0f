import { describe, expect, it } from '@jest/globals';
import type { RowOutcome } from '@app/jobs';
import type { CrawlRules } from '../crawl-rules.js';
import { PageLinks } from './page-links.js';

const START = 'https://a.test/docs/';
const PAGE = { number: 7, row: 7, tries: 0, url: 'https://a.test/docs/list?sort=up', depth: 2 };
const RULES: CrawlRules = {
  source: 'both',
  same: 'host',
  limit: 10,
  max_depth: 5,
  limit_per_pattern: 5,
  include: [],
  exclude: [],
  robots: 'obey',
  dry_run: false,
};

const linksWith = (more: Partial<RowOutcome>, rules: Partial<CrawlRules> = {}) => {
  const row: RowOutcome = {
    row: 7,
    id: 'id',
    status: 'succeeded',
    httpStatus: 200,
    errorCode: null,
    retryAfterS: null,
    finalUrl: null,
    title: null,
    page: { canonical: null, robots: null },
    links: [],
    ...more,
  };
  return new PageLinks({ url: START, rules: { ...RULES, ...rules } }).linksOf(PAGE, row);
};
const link = (url: string, rel = '', internal = true) => ({ url, rel, text: '', internal });
const canonical = (url: string): Partial<RowOutcome> => ({ page: { canonical: url, robots: null } });

describe(PageLinks, () => {
  it('follows links to other pages of the site, one level deeper', () => {
    const links = [link('https://a.test/x'), link(`${PAGE.url}#part`), link('https://b.test/', '', false)];
    expect(linksWith({ links }).followed).toEqual([
      { url: 'https://a.test/x', depth: 3, foundBy: 'link', foundOn: 7, isNoFollow: false },
    ]);
  });

  it.each<[string, Partial<RowOutcome>, Partial<CrawlRules>]>([
    ['of another site', { finalUrl: 'https://b.test/' }, {}],
    ['outside the folder of the start', { finalUrl: 'https://a.test/other' }, { same: 'prefix' }],
    ['that failed', { status: 'failed' }, {}],
    ['that is an error page', { httpStatus: 404 }, {}],
    ['whose record has expired', { status: null, id: null, httpStatus: null }, {}],
    ['when only sitemaps count', {}, { source: 'sitemap' }],
  ])('follows none from a page %s', (_, more, rules) => {
    expect(linksWith({ links: [link('https://a.test/x')], ...more }, rules)).toMatchObject({
      followed: [],
      canonical: null,
    });
  });

  it.each([
    ['nofollow', ''],
    ['', 'noindex, NoFollow'],
    ['', 'none'],
  ])('marks links with rel %j on a page with robots %j', (rel, robots) => {
    const page = { canonical: null, robots };
    const { followed } = linksWith({ page, links: [link('https://a.test/x', rel)] });
    expect(followed).toMatchObject([{ isNoFollow: true }]);
  });

  it.each<[string, string, boolean]>([
    ['the same without parameters', 'https://a.test/docs/list', true],
    ['another page', 'https://a.test/docs/other', true],
    ['the front page, by mistake', 'https://a.test/', false],
    ['the start, by mistake', START, false],
  ])('takes a page for a copy if its canonical is %s', (_, url, isVariant) => {
    expect(linksWith(canonical(url))).toMatchObject({ isVariant, canonical: { url, depth: 2 } });
  });

  it.each([PAGE.url, `${PAGE.url}#top`, 'https://a.test/docs/list?sort=up&utm_source=x'])(
    'takes a page that names itself for itself: %s',
    (url) => {
      expect(linksWith(canonical(url))).toMatchObject({ isVariant: false, canonical: null });
    },
  );

  it('takes no further page of a list for a copy of the first', () => {
    const links = [link('https://a.test/docs/list?page=3', 'next')];
    expect(linksWith({ ...canonical('https://a.test/docs/list'), links }).isVariant).toBe(false);
  });

  it('says how many links its record has no room for', () => {
    expect(linksWith({ page: { canonical: null, robots: null, more_links: 99_000 } }).leftOut).toBe(99_000);
  });
});
