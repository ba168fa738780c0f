import { PagePaths, type CaptureRecord } from '@capture-service/client';
import { filesAt, type RowFile } from '../batch/row-files.js';

/** Where the files of the pages of a crawl belong, under the names that its archive has: `guide/install.png`. */
export class CrawlFiles {
  private readonly paths: PagePaths;
  /** A page that the site refused at first has several rows. */
  private readonly byUrl = new Map<string, { readonly row: number; readonly path: string }>();

  /** @param withHost whether the pages are of several hosts */
  constructor(withHost: boolean) {
    this.paths = new PagePaths(withHost);
  }

  /** Gives paths to rows, also to those that have not ended. They come in the order of their numbers, perhaps several times. */
  note(records: readonly CaptureRecord[]): void {
    for (const { row, url } of records) {
      // A deleted capture has neither an address nor files.
      if (row === null || url === null || this.byUrl.has(url)) continue;
      this.byUrl.set(url, { row, path: this.paths.pathOf({ url, row }) });
    }
  }

  /** The first row of the page, which stands for all of them. */
  firstRowOf({ row, url }: CaptureRecord): number {
    return this.byUrl.get(url ?? '')?.row ?? row ?? 0;
  }

  /** The files of a row that has succeeded. */
  filesOf(record: CaptureRecord): RowFile[] {
    const path = this.byUrl.get(record.url ?? '')?.path;
    return path === undefined ? [] : filesAt(path, record);
  }
}
