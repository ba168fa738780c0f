/**
 * The states of a crawl:
 *
 *   discovering → capturing → completed      discovering | capturing → canceled      discovering → failed
 *
 * A crawl is discovering while it may find further addresses, and capturing when it only waits for the captures of those that it has.
 * It is completed when its batch is, and canceled with its batch. It fails when it finds nothing to capture.
 */
export const CRAWL_STATES = ['discovering', 'capturing', 'completed', 'canceled', 'failed'] as const;
export type CrawlState = (typeof CRAWL_STATES)[number];

export const OPEN_STATES = ['discovering', 'capturing'] as const satisfies readonly CrawlState[];

/** What a crawl does next: it reads robots.txt, then sitemaps, then the links of its captures. */
export type CrawlStage = 'robots' | 'sitemaps' | 'links';

/** Why addresses were left out. */
export const SKIP_REASONS = ['robots', 'filter', 'duplicate', 'depth', 'limit'] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

/** How many links and entries of sitemaps were left out; a link that several pages have counts for each of them. */
export type Skipped = Readonly<Record<SkipReason, number>>;

export const NONE_SKIPPED: Skipped = { robots: 0, filter: 0, duplicate: 0, depth: 0, limit: 0 };

export function addSkipped(a: Skipped, b: Skipped): Skipped {
  return Object.fromEntries(SKIP_REASONS.map((reason) => [reason, a[reason] + b[reason]])) as Skipped;
}

/** How a page was found. `redirect`: a page that was captured led to it. */
export const FOUND_BY = ['start', 'sitemap', 'link', 'redirect'] as const;
export type FoundBy = (typeof FOUND_BY)[number];

/** The outcome of a page: its capture shows it; the site has no such page or the capture failed; or the capture was canceled. */
export const PAGE_OUTCOMES = ['ok', 'broken', 'canceled'] as const;
export type PageOutcome = (typeof PAGE_OUTCOMES)[number];
