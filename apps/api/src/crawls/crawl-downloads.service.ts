import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Injectable } from '@nestjs/common';
import { FORMATS } from '@app/capture';
import { CrawlRecordsService, type Crawl, type CrawlPage } from '@app/crawls';
import { BatchRowExportRepository, type RowFile, type RowWithFiles } from '@app/jobs';
import { AppError } from '@app/kernel';
import { FileNotFoundError } from '@app/storage';
import { PagePaths } from '@capture-service/client';
import { create } from 'content-disposition';
import type { Response } from 'express';
import { ARCHIVE_TYPE, ArchiveService, storedEntry, type ArchiveEntry } from '../captures/archive.service.js';
import { entryName } from '../captures/entry-name.js';
import { CAPTURED } from '../http/captured-content.js';
import { ignoringDisconnect } from '../http/client-disconnect.js';
import type { CrawlDownload } from './crawls.query.js';
import { headingOf, lineOfContents } from './markdown-book.js';

/** Sends what a crawl leaves behind as one file, and reads files and pages only as fast as the caller reads. */
@Injectable()
export class CrawlDownloadsService {
  constructor(
    private readonly records: CrawlRecordsService,
    private readonly rows: BatchRowExportRepository,
    private readonly archives: ArchiveService,
  ) {}

  /** @throws AppError `not_found` for the files of a dry run */
  async send(crawl: Crawl, as: CrawlDownload, response: Response): Promise<void> {
    const headers = headersOf(crawl, as);
    if (as !== 'sitemap' && crawl.batchId === null) {
      throw new AppError('not_found', { detail: 'A dry run has captured nothing.' });
    }
    if (response.req.method === 'HEAD') response.set(headers).end();
    else if (as === 'zip') await this.archives.send(this.entries(crawl), headers, response);
    else await sendText(as === 'sitemap' ? this.sitemap(crawl) : this.book(crawl), headers, response);
  }

  private async *entries(crawl: Crawl): AsyncGenerator<ArchiveEntry> {
    const paths = await this.pathsByRow(crawl);
    for await (const row of this.rowsOf(crawl)) {
      const path = paths.get(row.row);
      if (path === undefined) continue;
      for (const file of row.files) {
        const name =
          row.files.length > 1 ? `${path}/${entryName(file)}` : `${path}.${FORMATS[file.format].extension}`;
        const entry = await this.openIfThere(file, { path: name, modifiedAt: row.finishedAt });
        if (entry) yield entry;
      }
    }
  }

  /** All pages that were captured as Markdown, behind a list of them. */
  private async *book(crawl: Crawl): AsyncGenerator<string | Buffer> {
    const pages = await this.pagesByRow(crawl.id);
    yield `# ${new URL(crawl.url).host}\n\n`;
    for (const page of pages.values()) if (page.outcome === 'ok') yield lineOfContents(page);
    for await (const { row, files, finishedAt } of this.rowsOf(crawl)) {
      const page = pages.get(row);
      const file = files.find(({ format }) => format === 'markdown');
      if (page?.outcome !== 'ok' || !file) continue;
      yield headingOf(page);
      const entry = await this.openIfThere(file, { path: '', modifiedAt: finishedAt });
      if (entry) yield* entry.content as AsyncIterable<Buffer>;
    }
    yield '\n';
  }

  private async *sitemap(crawl: Crawl): AsyncGenerator<string> {
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n';
    for await (const pages of this.records.everyPage(crawl.id)) {
      const listed = pages.filter(({ isListed }) => isListed ?? crawl.rules.dry_run);
      yield listed.map(({ url }) => `<url><loc>${escapeXml(url)}</loc></url>\n`).join('');
    }
    yield '</urlset>\n';
  }

  private rowsOf({ batchId }: Crawl): AsyncIterable<RowWithFiles> {
    return this.rows.files(batchId ?? '');
  }

  /** Pages without a file have a path, too, so that a page keeps its own while others are captured or deleted. */
  private async pathsByRow({ id, rules }: Crawl): Promise<Map<number, string>> {
    const paths = new PagePaths(rules.same === 'domain');
    const byRow = new Map<number, string>();
    for await (const pages of this.records.everyPage(id)) {
      for (const { number, row, url } of pages) byRow.set(row, paths.pathOf({ url, row: number }));
    }
    return byRow;
  }

  private async pagesByRow(crawlId: string): Promise<Map<number, CrawlPage>> {
    const pages = new Map<number, CrawlPage>();
    for await (const some of this.records.everyPage(crawlId))
      for (const page of some) pages.set(page.row, page);
    return pages;
  }

  private async openIfThere(
    file: RowFile,
    place: { readonly path: string; readonly modifiedAt: Date },
  ): Promise<ArchiveEntry | undefined> {
    try {
      return await this.archives.open(storedEntry(file, place));
    } catch (error) {
      if (error instanceof FileNotFoundError) return undefined;
      throw error;
    }
  }
}

async function sendText(
  text: AsyncGenerator<string | Buffer>,
  headers: Readonly<Record<string, string>>,
  response: Response,
): Promise<void> {
  const body = Readable.from(text);
  // Waits for the first part before any header is sent, so that an outage is an error and not a truncated file.
  await once(body, 'readable');
  response.set(headers);
  await ignoringDisconnect(pipeline(body, response));
}

const TYPES = {
  zip: { type: ARCHIVE_TYPE, extension: 'zip' },
  markdown: { type: 'text/markdown; charset=utf-8', extension: 'md' },
  sitemap: { type: 'application/xml; charset=utf-8', extension: 'xml' },
} as const satisfies Record<CrawlDownload, object>;

function headersOf({ id }: Crawl, as: CrawlDownload): Record<string, string> {
  const { type, extension } = TYPES[as];
  return {
    'Content-Type': type,
    'Content-Disposition': create(`crawl-${id}.${extension}`),
    ...(as === 'zip' && { 'Accept-Ranges': 'none' }),
    ...CAPTURED,
  };
}

function escapeXml(text: string): string {
  return text.replace(/[&<>'"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
