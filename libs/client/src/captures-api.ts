import {
  jsonConsumer,
  type CaptureFile,
  type DownloadedFile,
  type Saved,
  type SavedFile,
} from './answers.js';
import { pathOf } from './checks.js';
import { CAPTURE_FILE, download, downloadTo, ZIP_FILE, type Download } from './downloads.js';
import {
  deleteCapture,
  downloadCaptureFiles,
  getCapture,
  getCaptureFile,
  getCaptureResult,
  getCaptureStats,
  getCaptureThumbnail,
  listCaptures,
  type CaptureList,
  type CaptureRecord,
  type CaptureStats,
  type GetCaptureStatsData,
  type ListCapturesData,
} from './generated/openapi/index.js';
import { PAGE_ITEMS, pages } from './pages.js';
import type { CallOptions, Transport, Wire } from './transport.js';

/** Which captures, and how many in each request. */
export type CaptureFilters = NonNullable<ListCapturesData['query']>;
export type StatsRange = NonNullable<GetCaptureStatsData['query']>;

export interface NamedFile {
  /** The name of an output; without it the first file. */
  readonly name?: string | undefined;
}

/** The history of the account. */
export class CapturesApi {
  constructor(private readonly transport: Transport) {}

  /** All captures that the filters find, newest first. They are requested page by page, as far as they are read. */
  list(filters: Omit<CaptureFilters, 'cursor'> = {}, call?: CallOptions): AsyncIterable<CaptureRecord> {
    return pages((cursor) =>
      this.page({ limit: PAGE_ITEMS, ...filters, ...(cursor !== undefined && { cursor }) }, call),
    );
  }

  /** One page of the history, and the cursor of the next one. */
  async page(filters: CaptureFilters = {}, call?: CallOptions): Promise<CaptureList> {
    const { data } = await listCaptures({ ...this.json(call), query: filters });
    return data;
  }

  async get(id: string, call?: CallOptions): Promise<CaptureRecord> {
    const { data } = await getCapture({ ...this.json(call), path: pathOf({ id }) });
    return data;
  }

  /** @param name of an output; without it the first file */
  file(id: string, name?: string, call?: CallOptions): Promise<CaptureFile> {
    return download(this.transport, fileOf(id, name), call);
  }

  /** Saves a file of a capture. */
  fileToPath(id: string, path: string, { name, ...call }: NamedFile & CallOptions = {}): Promise<SavedFile> {
    return downloadTo(this.transport, fileOf(id, name), { path, call });
  }

  /**
   * A small WebP of the first picture of a capture, for a gallery.
   *
   * @throws CaptureError `no_picture` if the capture has none
   */
  thumbnail(id: string, call?: CallOptions): Promise<CaptureFile> {
    const run = (wire: Wire & { readonly parseAs: 'stream' }) =>
      getCaptureThumbnail({ ...wire, path: pathOf({ id }) });
    return download(this.transport, { kind: CAPTURE_FILE, run }, call);
  }

  /** All files and the record, `record.json`, as a zip archive. */
  archive(id: string, call?: CallOptions): Promise<DownloadedFile> {
    return download(this.transport, archiveOf(id), call);
  }

  /** Saves all files and the record, `record.json`, as a zip archive. */
  archiveToPath(id: string, path: string, call?: CallOptions): Promise<Saved<DownloadedFile>> {
    return downloadTo(this.transport, archiveOf(id), { path, call });
  }

  /** Deletes the files and everything personal in the record, and with `record` the record as well. */
  async delete(id: string, { record }: { readonly record: true }, call?: CallOptions): Promise<undefined>;
  async delete(id: string, options?: { readonly record?: false }, call?: CallOptions): Promise<CaptureRecord>;
  async delete(
    id: string,
    { record = false }: { readonly record?: boolean } = {},
    call?: CallOptions,
  ): Promise<CaptureRecord | undefined> {
    const { data } = await deleteCapture({ ...this.json(call), path: pathOf({ id }), query: { record } });
    return record ? undefined : (data as CaptureRecord);
  }

  /** Counts, sizes and durations by time of creation. */
  async stats(range: StatsRange = {}, call?: CallOptions): Promise<CaptureStats> {
    const { data } = await getCaptureStats({ ...this.json(call), query: range });
    return data;
  }

  private json(call: CallOptions = {}): Wire {
    return this.transport.wire({ call, consume: jsonConsumer });
  }
}

function fileOf(id: string, name: string | undefined): Download<CaptureFile> {
  return {
    kind: CAPTURE_FILE,
    run: (wire) =>
      name === undefined
        ? getCaptureResult({ ...wire, path: pathOf({ id }) })
        : getCaptureFile({ ...wire, path: pathOf({ id, name }) }),
  };
}

function archiveOf(id: string): Download<DownloadedFile> {
  return { kind: ZIP_FILE, run: (wire) => downloadCaptureFiles({ ...wire, path: pathOf({ id }) }) };
}
