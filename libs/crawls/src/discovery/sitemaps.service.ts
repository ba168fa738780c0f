import { Injectable } from '@nestjs/common';
import { decodedBody } from './decoded-body.js';
import { SitemapParser, type SitemapEntry } from './sitemap-parser.js';
import { SiteFetchService, type SiteVisit } from './site-fetch.service.js';

/** What a sitemap may have without compression, by its specification. */
const MAX_BYTES = 52_428_800;

/** An index of indexes of sitemaps. */
const MAX_DEPTH = 3;

/** Sitemaps of one crawl. */
const MAX_SITEMAPS = 100;

/** Entries that are passed on at once. */
const AT_ONCE = 500;

/** How the reading of sitemaps ended. */
export interface SitemapsRead {
  /** Documents that are sitemaps. */
  readonly valid: number;
}

/** Takes the addresses of pages; false when no further one is wanted. */
export type PageSink = (urls: readonly string[]) => Promise<boolean>;

interface Pending {
  readonly url: string;
  readonly depth: number;
}

/** Reads the sitemaps of a site, one after the other, and never holds a whole one in memory. */
@Injectable()
export class SitemapsService {
  constructor(private readonly site: SiteFetchService) {}

  async read(starts: readonly string[], sink: PageSink, visit: SiteVisit): Promise<SitemapsRead> {
    const pending: Pending[] = starts.map((url) => ({ url, depth: 1 }));
    const seen = new Set(starts);
    let valid = 0;
    let isWanted = true;
    for (
      let read = 0;
      pending.length > 0 && read < MAX_SITEMAPS && isWanted && !visit.signal.aborted;
      read++
    ) {
      const { url, depth } = pending.shift() as Pending;
      const address = URL.parse(url);
      if (!address) continue;
      const document = await this.site.fetch(
        address,
        async (body) => {
          const entries = new EntrySorter(sink);
          const isSitemap = await readEntries(body, entries);
          return { isSitemap, entries };
        },
        visit,
      );
      if (document.kind !== 'read') continue;
      const { isSitemap, entries } = document.value;
      if (isSitemap) valid += 1;
      isWanted = entries.isWanted;
      if (depth === MAX_DEPTH) continue;
      for (const nested of entries.sitemaps) {
        if (seen.size >= 2 * MAX_SITEMAPS || seen.has(nested)) continue;
        seen.add(nested);
        pending.push({ url: nested, depth: depth + 1 });
      }
    }
    return { valid };
  }
}

/** Passes pages on, some at a time, and keeps the sitemaps. */
class EntrySorter {
  readonly sitemaps: string[] = [];
  isWanted = true;
  private pages: string[] = [];

  constructor(private readonly sink: PageSink) {}

  async add(entries: readonly SitemapEntry[]): Promise<void> {
    for (const { kind, url } of entries) {
      if (kind === 'page') this.pages.push(url);
      else if (this.sitemaps.length < MAX_SITEMAPS) this.sitemaps.push(url);
    }
    while (this.pages.length >= AT_ONCE && this.isWanted) await this.flush();
  }

  async flush(): Promise<void> {
    const some = this.pages.splice(0, AT_ONCE);
    if (some.length > 0 && this.isWanted) this.isWanted = await this.sink(some);
  }
}

/** Returns whether the body is a sitemap. A connection that breaks ends it like any other. */
async function readEntries(body: AsyncIterable<Buffer>, entries: EntrySorter): Promise<boolean> {
  const parser = new SitemapParser();
  const parts = decodedBody(body, MAX_BYTES);
  for (;;) {
    const next = await parts.next().catch(() => ({ done: true, value: undefined }) as const);
    if (next.done === true || !entries.isWanted) break;
    await entries.add(parser.read(next.value));
  }
  await entries.add(parser.end());
  await entries.flush();
  return parser.isSitemap;
}
