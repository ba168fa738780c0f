import { jsonConsumer } from './answers.js';
import { pathOf } from './checks.js';
import {
  cancelCrawl,
  createCrawl,
  getCrawl,
  listBrokenPages,
  listCrawlPages,
  listCrawls,
  type BrokenPage,
  type CrawlList,
  type CrawlPage,
  type CrawlRecord,
  type CreateCrawlData,
  type ListCrawlPagesData,
  type ListCrawlsData,
} from './generated/openapi/index.js';
import { PAGE_ITEMS, pages } from './pages.js';
import type { CallOptions, Transport, Wire } from './transport.js';

/** What to crawl. */
export type NewCrawl = CreateCrawlData['body'];

export type CrawlFilters = Omit<NonNullable<ListCrawlsData['query']>, 'cursor'>;
export type CrawlPageFilters = Omit<NonNullable<ListCrawlPagesData['query']>, 'cursor'>;

/** Crawls: the pages of a site as one batch, which `client.bulk` follows and downloads. */
export class CrawlsApi {
  constructor(private readonly transport: Transport) {}

  /** Begins a crawl. Its `batch_id` names the batch of its captures. */
  async create(crawl: NewCrawl, call?: CallOptions): Promise<CrawlRecord> {
    const { data } = await createCrawl({ ...this.json(call), body: crawl });
    return data;
  }

  /** All crawls, newest first. They are requested page by page, as far as they are read. */
  list({ limit = PAGE_ITEMS, ...filters }: CrawlFilters = {}, call?: CallOptions) {
    return pages<CrawlRecord>((cursor) => this.page({ limit, ...filters, cursor }, call));
  }

  /** One page of the crawls, and the cursor of the next one. */
  async page(
    { cursor, ...filters }: CrawlFilters & { readonly cursor?: string | undefined } = {},
    call?: CallOptions,
  ): Promise<CrawlList> {
    const query = { ...filters, ...(cursor !== undefined && { cursor }) };
    const { data } = await listCrawls({ ...this.json(call), query });
    return data;
  }

  async get(id: string, call?: CallOptions): Promise<CrawlRecord> {
    const { data } = await getCrawl({ ...this.json(call), path: pathOf({ id }) });
    return data;
  }

  /** The pages of a crawl in the order in which they were found. */
  pages(id: string, { limit = PAGE_ITEMS, ...filters }: CrawlPageFilters = {}, call?: CallOptions) {
    return pages<CrawlPage>(async (cursor) => {
      const query = { limit, ...filters, ...(cursor !== undefined && { cursor }) };
      const { data } = await listCrawlPages({ ...this.json(call), path: pathOf({ id }), query });
      return data;
    });
  }

  /** The pages that are not there, each with the pages that link to it. */
  broken(id: string, call?: CallOptions) {
    return pages<BrokenPage>(async (cursor) => {
      const query = { limit: PAGE_ITEMS, ...(cursor !== undefined && { cursor }) };
      const { data } = await listBrokenPages({ ...this.json(call), path: pathOf({ id }), query });
      return data;
    });
  }

  /** Ends the search, and cancels the captures that have not ended. */
  async cancel(id: string, call?: CallOptions): Promise<CrawlRecord> {
    const { data } = await cancelCrawl({ ...this.json(call), path: pathOf({ id }) });
    return data;
  }

  private json(call: CallOptions = {}): Wire {
    return this.transport.wire({ call, consume: jsonConsumer });
  }
}
