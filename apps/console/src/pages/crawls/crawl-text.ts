import type { CrawlRecord } from '@capture-service/client';

export type CrawlStatus = CrawlRecord['status'];
export const CRAWL_STATUSES = [
  'discovering',
  'capturing',
  'completed',
  'canceled',
  'failed',
] as const satisfies readonly CrawlStatus[];

/** Whether a crawl has ended: its status never changes again. */
export function isOver({ status }: Pick<CrawlRecord, 'status'>): boolean {
  return status !== 'discovering' && status !== 'capturing';
}

/** Until when a crawl visits its site no more because the site asked for it (`Retry-After`); null when it does not wait. */
export function waitsUntil(
  crawl: Pick<CrawlRecord, 'status' | 'paused_until'>,
  nowMs: number,
): string | null {
  const { paused_until: until } = crawl;
  return until !== null && !isOver(crawl) && Date.parse(until) > nowMs ? until : null;
}

type SkipReason = keyof CrawlRecord['skipped'];

/** Why links and entries of sitemaps are left out, what matters most first. */
const REASONS: Readonly<Record<SkipReason, string>> = {
  robots: 'The site asks crawlers to stay away: robots.txt, or nofollow.',
  filter: 'On another site, or not asked for by the patterns.',
  depth: 'Too many links away from the start.',
  limit: 'Beyond the limit of pages, or of pages that are alike.',
  duplicate: 'Known already, such as a second link to a page.',
};

/** How many were left out, with the reason in a sentence. */
export function skippedOf({ skipped }: Pick<CrawlRecord, 'skipped'>): { reason: string; count: number }[] {
  return (Object.keys(REASONS) as SkipReason[])
    .map((name) => ({ reason: REASONS[name], count: skipped[name] }))
    .filter(({ count }) => count > 0);
}

/** Links and entries that were left out, without those that lead to a page that is known. */
export function skippedTotal({
  skipped: { robots, filter, depth, limit },
}: Pick<CrawlRecord, 'skipped'>): number {
  return robots + filter + depth + limit;
}

export const SOURCES = {
  both: 'Sitemaps and links',
  sitemap: 'Sitemaps',
  links: 'Links',
} as const satisfies Record<CrawlRecord['source'], string>;

export const SAME = {
  host: 'The same host',
  domain: 'The same domain',
  prefix: 'The same folder',
} as const satisfies Record<CrawlRecord['same'], string>;

export const ROBOTS = {
  obey: 'Obey',
  ignore: 'Ignore, where the operator allows it',
} as const satisfies Record<CrawlRecord['robots'], string>;
