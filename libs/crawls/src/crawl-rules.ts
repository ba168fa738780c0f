/** Where addresses come from. */
export const SOURCES = ['sitemap', 'links', 'both'] as const;
export type Source = (typeof SOURCES)[number];

/** What is common to all addresses of a crawl: the host of the start, its registrable domain, or its folder. */
export const SAME = ['host', 'domain', 'prefix'] as const;
export type Same = (typeof SAME)[number];

/** Pages of one crawl. */
export const MAX_PAGES = 10_000;

/** Crawls of one account that have not ended. */
export const MAX_OPEN_CRAWLS = 20;

/** What a crawl visits; everything in it is valid. */
export interface CrawlRules {
  readonly source: Source;
  readonly same: Same;
  readonly limit: number;
  /** Links from the start; pages of a sitemap have depth 1. */
  readonly max_depth: number;
  /** Addresses that are alike but for digits and values, if links lead to them. */
  readonly limit_per_pattern: number;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly robots: 'obey' | 'ignore';
  readonly dry_run: boolean;
}
