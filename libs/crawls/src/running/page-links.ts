import type { RowOutcome } from '@app/jobs';
import { normalise } from '../addresses/normalise.js';
import { Scope } from '../addresses/scope.js';
import type { PageOutcome } from '../crawl-state.js';
import type { Crawl } from '../crawl.entity.js';
import type { Finding } from './candidates.service.js';
import type { OpenPage } from './frontier.repository.js';

type PageOf = Pick<OpenPage, 'number' | 'url' | 'depth'>;

/** What a page leads to. */
export interface LinksOfPage {
  readonly followed: readonly Finding[];
  /** The page of which it says that it is the same. */
  readonly canonical: Finding | null;
  /** Whether it is a copy, if the crawl captures the canonical page. */
  readonly isVariant: boolean;
  /** Links beyond those that the record of a capture has. */
  readonly leftOut: number;
}

/** Where an address leads, and whether that is a page of the crawl. */
export interface Place {
  readonly url: URL | null;
  readonly isInside: boolean;
}

const NONE: LinksOfPage = { followed: [], canonical: null, isVariant: false, leftOut: 0 };

/** What the captures of a crawl say about their pages. */
export class PageLinks {
  private readonly scope: Scope;

  constructor(private readonly crawl: Pick<Crawl, 'url' | 'rules'>) {
    this.scope = new Scope(new URL(crawl.url), crawl.rules);
  }

  /** The links that the crawl follows from a page: none from a page of another site. */
  linksOf(page: PageOf, row: RowOutcome): LinksOfPage {
    if (this.crawl.rules.source === 'sitemap' || this.outcomeOf(row) !== 'ok') return NONE;
    const end = this.placeOf(row.finalUrl ?? page.url);
    if (!end.isInside) return NONE;
    const isNoFollowPage = /\b(?:nofollow|none)\b/i.test(row.page?.robots ?? '');
    const found = { foundBy: 'link', foundOn: page.number } as const;
    const own = new Set([page.url, end.url?.href]);
    const links = (row.links ?? []).filter(({ url, internal }) => internal && !own.has(withoutHash(url)));
    const canonical = row.page?.canonical ?? null;
    const isNamed = canonical !== null && !own.has(this.placeOf(canonical).url?.href);
    return {
      followed: links.map(({ url, rel }) => {
        const isNoFollow = isNoFollowPage || /\bnofollow\b/i.test(rel);
        return { ...found, url, depth: page.depth + 1, isNoFollow };
      }),
      canonical: isNamed ? { ...found, url: canonical, depth: page.depth } : null,
      isVariant: isNamed && !this.isFront(page, canonical) && !isOfSeries(links),
      leftOut: row.page?.more_links ?? 0,
    };
  }

  placeOf(text: string): Place {
    const found = normalise(text);
    const url = found && this.scope.align(found);
    return { url, isInside: url !== null && this.scope.isSame(url) };
  }

  outcomeOf({ status, httpStatus }: Pick<RowOutcome, 'status' | 'httpStatus'>): PageOutcome {
    if (status === 'canceled' || status === null) return 'canceled';
    return status === 'failed' || (httpStatus ?? 0) >= 400 ? 'broken' : 'ok';
  }

  /** A page that exists under its own address, and does not ask search engines to leave it out. */
  isListed(page: PageOf, row: RowOutcome): boolean {
    const isItself = (text: string | null | undefined): boolean =>
      text === null || text === undefined || this.placeOf(text).url?.href === page.url;
    const isHidden = /\b(?:noindex|none)\b/i.test(row.page?.robots ?? '');
    return (
      this.outcomeOf(row) === 'ok' && !isHidden && isItself(row.finalUrl) && isItself(row.page?.canonical)
    );
  }

  /** Templates that name the front page as the canonical of all pages are a known mistake, which would hide the whole site. */
  private isFront(page: PageOf, canonical: string): boolean {
    const { url } = this.placeOf(canonical);
    if (url?.pathname === new URL(page.url).pathname) return false;
    return url?.pathname === '/' || url?.href === this.crawl.url;
  }
}

function withoutHash(url: string): string {
  const at = url.indexOf('#');
  return at < 0 ? url : url.slice(0, at);
}

/** The further pages of a list are no copies of the first, as which many sites declare them. */
function isOfSeries(links: NonNullable<RowOutcome['links']>): boolean {
  return links.some(({ rel }) => /\b(?:next|prev)\b/i.test(rel));
}
