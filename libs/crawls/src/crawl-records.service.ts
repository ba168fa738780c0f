import { Injectable } from '@nestjs/common';
import type { PageRequest } from '@app/jobs';
import { AppError, isId } from '@app/kernel';
import { CrawlPageRepository, type CrawlPage, type PageQuery } from './crawl-page.repository.js';
import {
  toBrokenRecord,
  toCrawlRecord,
  toPageRecord,
  type BrokenPageRecord,
  type CrawlPageRecord,
  type CrawlRecord,
} from './crawl-record.js';
import type { CrawlState } from './crawl-state.js';
import type { Crawl } from './crawl.entity.js';
import { CrawlRepository } from './crawl.repository.js';

/** A page of a list, as callers see it. */
export interface RecordPage<T> {
  readonly items: readonly T[];
  readonly next_cursor: string | null;
}

/** Pages of one statement where all of them are read. */
const PAGES_AT_ONCE = 500;

/** Shows crawls and their pages. */
@Injectable()
export class CrawlRecordsService {
  constructor(
    private readonly crawls: CrawlRepository,
    private readonly pages: CrawlPageRepository,
  ) {}

  /** @throws AppError `not_found` for an unknown id and for a crawl of another account alike */
  async find(accountId: string, id: string): Promise<Crawl> {
    const crawl = isId(id) ? await this.crawls.find(accountId, id) : null;
    if (!crawl) throw new AppError('not_found', { detail: 'There is no crawl with this id.' });
    return crawl;
  }

  /** @throws AppError `not_found` */
  async show(accountId: string, id: string): Promise<CrawlRecord> {
    return toCrawlRecord(await this.find(accountId, id));
  }

  async list(
    accountId: string,
    filter: { readonly state?: CrawlState | undefined },
    page: PageRequest,
  ): Promise<RecordPage<CrawlRecord>> {
    const { items, nextCursor } = await this.crawls.list(accountId, filter, page);
    return { items: items.map(toCrawlRecord), next_cursor: nextCursor };
  }

  /** @throws AppError `not_found` */
  async listPages(accountId: string, id: string, query: PageQuery): Promise<RecordPage<CrawlPageRecord>> {
    await this.find(accountId, id);
    const { items, next } = await pageOf(query, (wanted) => this.pages.list(id, wanted));
    const urls = await this.referrersOf(id, items);
    return { items: items.map((page) => toPageRecord(page, urls)), next_cursor: next };
  }

  /** @throws AppError `not_found` */
  async listBroken(accountId: string, id: string, query: PageQuery): Promise<RecordPage<BrokenPageRecord>> {
    await this.find(accountId, id);
    const { items, next } = await pageOf(query, (wanted) => this.pages.listBroken(id, wanted));
    const urls = await this.referrersOf(id, items);
    return { items: items.map((page) => toBrokenRecord(page, urls)), next_cursor: next };
  }

  /** All pages of a crawl, some at a time. */
  async *everyPage(crawlId: string): AsyncGenerator<CrawlPage[]> {
    let after = 0;
    for (;;) {
      const pages = await this.pages.list(crawlId, { after, limit: PAGES_AT_ONCE });
      yield pages;
      const last = pages.at(-1);
      if (!last || pages.length < PAGES_AT_ONCE) return;
      after = last.number;
    }
  }

  private referrersOf(id: string, pages: readonly CrawlPage[]): Promise<Map<number, string>> {
    return this.pages.listUrls(id, [...new Set(pages.flatMap(({ foundOn }) => foundOn ?? []))]);
  }
}

/** One more than requested shows whether there is a next page. */
async function pageOf<Page extends CrawlPage>(
  query: PageQuery,
  read: (wanted: PageQuery) => Promise<Page[]>,
): Promise<{ readonly items: readonly Page[]; readonly next: string | null }> {
  const pages = await read({ ...query, limit: query.limit + 1 });
  const items = pages.slice(0, query.limit);
  const last = items.at(-1);
  return { items, next: pages.length > query.limit && last ? encodePageCursor(last.number) : null };
}

const CURSOR = /^page\.([1-9]\d{0,8})$/;

/** The position after this page. Opaque to callers, so that its content may change. */
export function encodePageCursor(number: number): string {
  return Buffer.from(`page.${number}`).toString('base64url');
}

/** The page of a cursor; undefined for any other text. */
export function decodePageCursor(text: string): number | undefined {
  const [, number] = CURSOR.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? [];
  if (number === undefined || encodePageCursor(Number(number)) !== text) return undefined;
  return Number(number);
}
