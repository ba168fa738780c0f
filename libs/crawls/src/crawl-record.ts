import { crawlPagesPath } from '@app/jobs';
import type { ErrorBody } from '@app/kernel';
import type { BrokenPage, CrawlPage } from './crawl-page.repository.js';
import type { CrawlRules } from './crawl-rules.js';
import type { CrawlState, FoundBy, PageOutcome, Skipped } from './crawl-state.js';
import type { Crawl } from './crawl.entity.js';

/** A crawl as callers see it. Fields may be added, never renamed. */
export interface CrawlRecord extends CrawlRules {
  readonly id: string;
  readonly status: CrawlState;
  readonly url: string;
  /** Null for a dry run. */
  readonly batch_id: string | null;
  readonly discovered: number;
  readonly skipped: Skipped;
  readonly delay_s: number;
  readonly paused_until: string | null;
  readonly error: ErrorBody | null;
  readonly created_at: string;
  readonly finished_at: string | null;
  readonly pages_url: string;
}

/** A page of a crawl as callers see it. */
export interface CrawlPageRecord {
  readonly number: number;
  readonly url: string;
  readonly title: string | null;
  readonly depth: number;
  readonly found_by: FoundBy;
  /** The first page that links to it. */
  readonly found_on: string | null;
  /** Null until its capture has ended. */
  readonly outcome: PageOutcome | null;
  readonly http_status: number | null;
  readonly error_code: string | null;
  readonly capture_id: string | null;
}

/** A page that is not there, with the pages that link to it. */
export interface BrokenPageRecord extends CrawlPageRecord {
  readonly linked_from: readonly string[];
}

export function toCrawlRecord(crawl: Crawl): CrawlRecord {
  const { id, state, url, batchId, rules, discovered, skipped, delayS, error } = crawl;
  const { pausedUntil, createdAt, finishedAt } = crawl;
  return {
    id,
    status: state,
    url,
    batch_id: batchId,
    ...rules,
    discovered,
    skipped,
    delay_s: delayS,
    paused_until: pausedUntil?.toISOString() ?? null,
    error,
    created_at: createdAt.toISOString(),
    finished_at: finishedAt?.toISOString() ?? null,
    pages_url: crawlPagesPath(id),
  };
}

/** @param urls addresses of pages by their numbers */
export function toPageRecord(page: CrawlPage, urls: ReadonlyMap<number, string>): CrawlPageRecord {
  const { number, url, title, depth, foundBy, foundOn, outcome, httpStatus, errorCode, jobId } = page;
  return {
    number,
    url,
    title,
    depth,
    found_by: foundBy,
    found_on: foundOn === null ? null : (urls.get(foundOn) ?? null),
    outcome,
    http_status: httpStatus,
    error_code: errorCode,
    capture_id: jobId,
  };
}

export function toBrokenRecord(page: BrokenPage, urls: ReadonlyMap<number, string>): BrokenPageRecord {
  return { ...toPageRecord(page, urls), linked_from: page.linkedFrom };
}
