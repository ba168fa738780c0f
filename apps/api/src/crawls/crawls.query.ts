import {
  CRAWL_STATES,
  decodePageCursor,
  PAGE_OUTCOMES,
  type CrawlState,
  type PageOutcome,
  type PageQuery,
} from '@app/crawls';
import { Choice, compose, Text, Whole } from '@app/kernel';
import { ListQuery } from '../http/page.query.js';

class CrawlFilters {
  @Choice(CRAWL_STATES, 'Only crawls of this status.')
  status?: CrawlState;
}

/** Query of `GET /v1/crawls`. */
export const CrawlsQuery = compose('CrawlsQuery', [CrawlFilters, ListQuery]);
export type CrawlsQuery = InstanceType<typeof CrawlsQuery>;

/** Query of `GET /v1/crawls/{id}/broken`. */
export class BrokenPagesQuery {
  @Whole('Number of items in a page.', { min: 1, max: 100 })
  limit = 20;

  @Text('`next_cursor` of the previous page.', {
    max: 100,
    check: (text: string) =>
      decodePageCursor(text) === undefined ? 'must be the next_cursor of a page' : undefined,
  })
  cursor?: string;
}

class OutcomeFilter {
  @Choice([...PAGE_OUTCOMES, 'pending'], 'Only pages with this outcome; `pending`: without one.')
  outcome?: PageOutcome | 'pending';
}

/** Query of `GET /v1/crawls/{id}/pages`. */
export const CrawlPagesQuery = compose('CrawlPagesQuery', [OutcomeFilter, BrokenPagesQuery]);
export type CrawlPagesQuery = InstanceType<typeof CrawlPagesQuery>;

/** What a crawl leaves behind, as one file. */
export const DOWNLOADS = ['zip', 'markdown', 'sitemap'] as const;
export type CrawlDownload = (typeof DOWNLOADS)[number];

/** Query of `GET /v1/crawls/{id}/download`. */
export class CrawlDownloadQuery {
  @Choice(
    DOWNLOADS,
    '`zip`: every file, with a name made of its path. `markdown`: one document of all pages, with a table of contents. `sitemap`: a sitemap of the pages that were found.',
  )
  as: CrawlDownload = 'zip';
}

export function pageQueryOf({ limit, cursor, ...filter }: BrokenPagesQuery | CrawlPagesQuery): PageQuery {
  return { ...filter, limit, after: cursor === undefined ? 0 : (decodePageCursor(cursor) ?? 0) };
}
