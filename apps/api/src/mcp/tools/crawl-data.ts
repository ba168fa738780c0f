import type { BrokenPage, CrawlPage, CrawlRecord } from '@capture-service/client';
import { cut } from '../capture-result.js';

const MAX_URL = 500;
const MAX_TITLE = 100;
/** A broken link in the footer of a site stands on each of its pages. */
const MAX_REFERRERS = 5;

/** What models see of a crawl. */
export function crawlItem(crawl: CrawlRecord): object {
  const { id, status, url, discovered, limit, skipped, error, created_at, finished_at } = crawl;
  return {
    id,
    status,
    url: cut(url, MAX_URL),
    discovered,
    limit,
    skipped,
    created_at,
    finished_at,
    error: error && `${error.code}: ${error.detail}`,
  };
}

/** What models see of a page of a crawl; its capture has the rest. */
export function crawlPageItem(page: CrawlPage | BrokenPage): object {
  const { number, url, title, outcome, http_status, error_code, capture_id } = page;
  return {
    number,
    url: cut(url, MAX_URL),
    title: title === null ? null : cut(title, MAX_TITLE),
    outcome,
    http_status,
    error_code,
    capture_id,
    ...('linked_from' in page && {
      linked_from: page.linked_from.slice(0, MAX_REFERRERS).map((from) => cut(from, MAX_URL)),
    }),
  };
}

/** What to do next with a crawl. */
export function nextOf({ id, finished_at: finishedAt }: CrawlRecord): string {
  return finishedAt === null
    ? `Call get_crawl {"id":"${id}"} in 10 seconds.`
    : `Read the pages with read_crawl {"id":"${id}"}, or one with read_page {"capture_id":…}.`;
}
