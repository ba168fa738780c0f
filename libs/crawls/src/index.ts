/**
 * Crawls: the pages of a site, found by its sitemaps and links, and captured as the rows of one batch. It never loads a page itself:
 * links come from the captures. The frontier is in the database, so that any process goes on where another one stopped.
 */
export { MAX_URL_LENGTH } from './addresses/normalise.js';
export { CrawlCancellationService } from './crawl-cancellation.service.js';
export {
  CrawlRecordsService,
  decodePageCursor,
  encodePageCursor,
  type RecordPage,
} from './crawl-records.service.js';
export type { BrokenPageRecord, CrawlPageRecord, CrawlRecord } from './crawl-record.js';
export { CrawlRepository } from './crawl.repository.js';
export type { CrawlRequest } from './crawl-request.js';
export { MAX_PAGES, SAME, SOURCES, type CrawlRules, type Same, type Source } from './crawl-rules.js';
export { CrawlRunningModule } from './crawl-running.module.js';
export {
  CRAWL_STATES,
  FOUND_BY,
  PAGE_OUTCOMES,
  SKIP_REASONS,
  type CrawlState,
  type PageOutcome,
} from './crawl-state.js';
export type { Crawl } from './crawl.entity.js';
export type { CrawlPage, PageQuery } from './crawl-page.repository.js';
export { CrawlsModule } from './crawls.module.js';
export { CrawlsService } from './crawls.service.js';
export { CrawlRunnerService } from './running/crawl-runner.service.js';
