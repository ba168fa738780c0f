import { jsonConsumer, type DownloadedFile, type Saved } from './answers.js';
import { pathOf } from './checks.js';
import { download, downloadTo, MARKDOWN_FILE, SITEMAP_FILE, ZIP_FILE, type Download } from './downloads.js';
import { waitForEnd } from './follow-record.js';
import {
  cancelCrawl,
  createCrawl,
  downloadCrawl,
  getCrawl,
  listBrokenPages,
  listCrawlPages,
  listCrawls,
  type BrokenPage,
  type BrokenPageList,
  type CrawlList,
  type CrawlPage,
  type CrawlPageList,
  type CrawlRecord,
  type CreateCrawlData,
  type DownloadCrawlData,
  type ListCrawlPagesData,
  type ListCrawlsData,
} from './generated/openapi/index.js';
import { PAGE_ITEMS, pages } from './pages.js';
import { sleep } from './retry-plan.js';
import type { CallOptions, Transport, Wire } from './transport.js';

/** How often a crawl is asked for that is waited for: a page takes about as long. */
const POLL_MS = 1_000;

/** What to crawl. */
export type NewCrawl = CreateCrawlData['body'];

export type CrawlFilters = Omit<NonNullable<ListCrawlsData['query']>, 'cursor'>;
export type CrawlPageFilters = Omit<NonNullable<ListCrawlPagesData['query']>, 'cursor'>;

/** `zip`: every file, under a name made of its path. `markdown`: one document of all pages. `sitemap`: the pages that were found. */
export type CrawlFile = NonNullable<NonNullable<DownloadCrawlData['query']>['as']>;

export interface CrawlWaitOptions {
  /** Time in ms after which the wait ends with `timeout`; the crawl continues. Without it there is no limit. */
  readonly timeoutMs?: number | undefined;
  /** Called with the record now, and about once a second. */
  readonly onProgress?: ((crawl: CrawlRecord) => void) | undefined;
}

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

  /** Waits until a crawl has ended. The record then says how: `completed`, `canceled`, or `failed` with its `error`. */
  wait(
    id: string,
    { timeoutMs, onProgress }: CrawlWaitOptions = {},
    call: CallOptions = {},
  ): Promise<CrawlRecord> {
    const follow = (options: CallOptions) => this.follow(id, options);
    return waitForEnd(follow, { name: `The crawl ${id}`, timeoutMs, onChange: onProgress, call });
  }

  /** The pages of a crawl in the order in which they were found. */
  pages(id: string, { limit = PAGE_ITEMS, ...filters }: CrawlPageFilters = {}, call?: CallOptions) {
    return pages<CrawlPage>((cursor) => this.pagesPage(id, { limit, ...filters, cursor }, call));
  }

  /** One page of the pages of a crawl, and the cursor of the next one. */
  async pagesPage(
    id: string,
    { cursor, ...filters }: CrawlPageFilters & { readonly cursor?: string | undefined } = {},
    call?: CallOptions,
  ): Promise<CrawlPageList> {
    const query = { ...filters, ...(cursor !== undefined && { cursor }) };
    const { data } = await listCrawlPages({ ...this.json(call), path: pathOf({ id }), query });
    return data;
  }

  /** The pages that are not there, each with the pages that link to it. */
  broken(id: string, call?: CallOptions) {
    return pages<BrokenPage>((cursor) => this.brokenPage(id, { limit: PAGE_ITEMS, cursor }, call));
  }

  /** One page of the pages that are not there, and the cursor of the next one. */
  async brokenPage(
    id: string,
    { limit, cursor }: { readonly limit?: number; readonly cursor?: string | undefined } = {},
    call?: CallOptions,
  ): Promise<BrokenPageList> {
    const query = { ...(limit !== undefined && { limit }), ...(cursor !== undefined && { cursor }) };
    const { data } = await listBrokenPages({ ...this.json(call), path: pathOf({ id }), query });
    return data;
  }

  /** What the crawl has captured so far, in memory: for the zip of a large crawl use `downloadToPath`. */
  download(
    id: string,
    { as = 'zip', ...call }: { readonly as?: CrawlFile } & CallOptions = {},
  ): Promise<DownloadedFile> {
    return download(this.transport, fileOf(id, as), call);
  }

  /** Saves what the crawl has captured so far. */
  downloadToPath(
    id: string,
    path: string,
    { as = 'zip', ...call }: { readonly as?: CrawlFile } & CallOptions = {},
  ): Promise<Saved<DownloadedFile>> {
    return downloadTo(this.transport, fileOf(id, as), { path, call });
  }

  /** Ends the search, and cancels the captures that have not ended. */
  async cancel(id: string, call?: CallOptions): Promise<CrawlRecord> {
    const { data } = await cancelCrawl({ ...this.json(call), path: pathOf({ id }) });
    return data;
  }

  private async *follow(id: string, call: CallOptions): AsyncGenerator<CrawlRecord> {
    for (;;) {
      const record = await this.get(id, call);
      yield record;
      if (record.finished_at !== null) return;
      await sleep(POLL_MS, call.signal);
    }
  }

  private json(call: CallOptions = {}): Wire {
    return this.transport.wire({ call, consume: jsonConsumer });
  }
}

const KINDS = { zip: ZIP_FILE, markdown: MARKDOWN_FILE, sitemap: SITEMAP_FILE } as const;

function fileOf(id: string, as: CrawlFile): Download<DownloadedFile> {
  return {
    kind: KINDS[as],
    run: (wire) => downloadCrawl({ ...wire, path: pathOf({ id }), query: { as } }),
  };
}
