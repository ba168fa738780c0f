import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { FoundBy, PageOutcome } from './crawl-state.js';

/** A page that a crawl knows. */
export interface CrawlPage {
  /** Counts from 1 in the crawl. */
  readonly number: number;
  /** The row of the batch that captures it: its number, or a later one if the site refused it at first. */
  readonly row: number;
  readonly url: string;
  readonly depth: number;
  readonly foundBy: FoundBy;
  /** The number of the page that links to it. */
  readonly foundOn: number | null;
  /** The capture, once it has ended. */
  readonly jobId: string | null;
  readonly outcome: PageOutcome | null;
  readonly httpStatus: number | null;
  readonly errorCode: string | null;
  readonly title: string | null;
  /** Whether it belongs into a sitemap: it exists, under this address, and wants to be found. */
  readonly isListed: boolean | null;
}

/** Which pages of a crawl, in the order of their numbers. */
export interface PageQuery {
  readonly after: number;
  readonly limit: number;
  readonly outcome?: PageOutcome | 'pending' | undefined;
}

/** A page that is not there, and up to a hundred pages that link to it. */
export type BrokenPage = CrawlPage & { readonly linkedFrom: readonly string[] };

const COLUMNS = `page.number, coalesce(page.batch_row, page.number) AS row, page.url, page.depth, page.found_by AS "foundBy", page.found_on AS "foundOn", page.job_id AS "jobId",
  page.outcome, page.http_status AS "httpStatus", page.error_code AS "errorCode", page.title, page.is_listed AS "isListed"`;

/** Pages that are named for each broken one. */
const MAX_REFERRERS = 100;

/** The rows of the table `crawl_pages`, as callers read them. An address under which a redirect ended is none of them. */
@Injectable()
export class CrawlPageRepository {
  constructor(private readonly source: DataSource) {}

  list(crawlId: string, { after, limit, outcome }: PageQuery): Promise<CrawlPage[]> {
    const filter = outcome === undefined ? '' : `AND coalesce(page.outcome, 'pending') = $4`;
    return this.source.query(
      `SELECT ${COLUMNS} FROM crawl_pages page
        WHERE page.crawl_id = $1 AND page.number > $2 AND page.state <> 'alias' ${filter}
        ORDER BY page.number LIMIT $3`,
      [crawlId, after, limit, ...(outcome === undefined ? [] : [outcome])],
    );
  }

  /** The broken pages, in the order of their numbers. */
  listBroken(crawlId: string, { after, limit }: PageQuery): Promise<BrokenPage[]> {
    return this.source.query(
      `SELECT ${COLUMNS}, ARRAY(
                SELECT referrer.url FROM crawl_pages referrer
                 WHERE referrer.crawl_id = $1 AND page.number = ANY(referrer.links)
                 ORDER BY referrer.number LIMIT ${MAX_REFERRERS}) AS "linkedFrom"
         FROM crawl_pages page
        WHERE page.crawl_id = $1 AND page.number > $2 AND page.outcome = 'broken'
        ORDER BY page.number LIMIT $3`,
      [crawlId, after, limit],
    );
  }

  /** The addresses of these pages, by their numbers. */
  async listUrls(crawlId: string, numbers: readonly number[]): Promise<Map<number, string>> {
    const rows = await this.source.query<{ number: number; url: string }[]>(
      `SELECT number, url FROM crawl_pages WHERE crawl_id = $1 AND number = ANY($2)`,
      [crawlId, numbers],
    );
    return new Map(rows.map(({ number, url }) => [number, url]));
  }
}
