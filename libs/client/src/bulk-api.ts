import { jsonConsumer, type DownloadedFile, type Saved } from './answers.js';
import { pathOf } from './checks.js';
import { CSV_FILE, download, downloadTo, ZIP_FILE, type Download } from './downloads.js';
import { followRecord, waitForEnd } from './follow-record.js';
import {
  cancelBatch,
  downloadBatchFiles,
  downloadBatchResults,
  followBatch,
  getBatch,
  listBatches,
  listBatchResults,
  submitCsvBatch,
  submitJsonBatch,
  type AcceptedBatch,
  type BatchItem,
  type BatchList,
  type BatchRecord,
  type BatchVerdict,
  type CaptureList,
  type CaptureOptions,
  type CaptureRecord,
  type JsonBatchRequest,
  type ListBatchesData,
  type ListBatchResultsData,
  type SubmitCsvBatchData,
} from './generated/openapi/index.js';
import { hasEnded } from './has-ended.js';
import { PAGE_ITEMS, pages } from './pages.js';
import type { CallOptions, Transport, Wire } from './transport.js';

/** What applies to a whole batch. */
export interface BatchSettings {
  /** Options of every row that does not set them itself. */
  readonly defaults?: CaptureOptions | undefined;
  /** What to do about invalid rows: refuse the batch, which is the default, or capture only the other rows. */
  readonly on_invalid?: 'reject' | 'skip' | undefined;
  /** URL that receives a signed POST at the end. */
  readonly webhook_url?: string | undefined;
}

export type RetrySettings = Pick<BatchSettings, 'defaults' | 'webhook_url'>;

/** Which batches, and how many in each request. */
export type BatchFilters = NonNullable<ListBatchesData['query']>;

/** Which rows, how many in each request, and where a page begins. */
export type RowPageFilters = NonNullable<ListBatchResultsData['query']>;

/** Which rows, and how many in each request. */
export type RowFilters = Omit<RowPageFilters, 'cursor'>;

/** The content of a CSV file, in UTF-8. */
export type Csv = string | Uint8Array | Blob;

export interface BatchWaitOptions {
  /** Time in ms after which the wait ends with `timeout`; the batch continues. Without it there is no limit. */
  readonly timeoutMs?: number | undefined;
  /** Called with the record after changes, at most once a second. */
  readonly onProgress?: ((batch: BatchRecord) => void) | undefined;
}

/** Batches: thousands of captures in one request. */
export class BulkApi {
  constructor(private readonly transport: Transport) {}

  /** Submits rows, each with the options of a capture. */
  async fromRows(
    rows: readonly BatchItem[],
    settings?: BatchSettings,
    call?: CallOptions,
  ): Promise<AcceptedBatch> {
    return (await this.submit({ ...settings, items: [...rows] }, call)) as AcceptedBatch;
  }

  /** Submits a CSV file, whose first line names the columns. */
  async fromCsv(csv: Csv, settings?: BatchSettings, call?: CallOptions): Promise<AcceptedBatch> {
    return (await this.submitCsv(csv, { ...settings }, call)) as AcceptedBatch;
  }

  /** Returns what `fromRows` would do, and stores nothing. */
  async dryRunRows(
    rows: readonly BatchItem[],
    settings?: BatchSettings,
    call?: CallOptions,
  ): Promise<BatchVerdict> {
    const body = { ...settings, items: [...rows] };
    return (await this.submit({ ...body, dry_run: true }, call)) as BatchVerdict;
  }

  /** Returns what `fromCsv` would do, and stores nothing. */
  async dryRunCsv(csv: Csv, settings?: BatchSettings, call?: CallOptions): Promise<BatchVerdict> {
    return (await this.submitCsv(csv, { ...settings, dry_run: true }, call)) as BatchVerdict;
  }

  /** Captures the failed rows of a finished batch again, as a new batch with the same row numbers. */
  async retryFailed(id: string, settings?: RetrySettings, call?: CallOptions): Promise<AcceptedBatch> {
    return (await this.submit({ ...settings, retry_failed_of: id }, call)) as AcceptedBatch;
  }

  /** All batches that the filters find, newest first. They are requested page by page, as far as they are read. */
  list(filters: Omit<BatchFilters, 'cursor'> = {}, call?: CallOptions): AsyncIterable<BatchRecord> {
    return pages((cursor) =>
      this.page({ limit: PAGE_ITEMS, ...filters, ...(cursor !== undefined && { cursor }) }, call),
    );
  }

  /** One page of the batches, and the cursor of the next one. */
  async page(filters: BatchFilters = {}, call?: CallOptions): Promise<BatchList> {
    const { data } = await listBatches({ ...this.json(call), query: filters });
    return data;
  }

  async get(id: string, call?: CallOptions): Promise<BatchRecord> {
    const { data } = await getBatch({ ...this.json(call), path: pathOf({ id }) });
    return data;
  }

  /** The final record. */
  wait(
    id: string,
    { timeoutMs, onProgress }: BatchWaitOptions = {},
    call: CallOptions = {},
  ): Promise<BatchRecord> {
    const follow = (options: CallOptions): AsyncIterable<BatchRecord> => this.events(id, options);
    return waitForEnd(follow, { name: `The batch ${id}`, timeoutMs, onChange: onProgress, call });
  }

  /** The record now and after changes, up to the final one. Lost connections are opened again. */
  events(id: string, call?: CallOptions): AsyncIterable<BatchRecord> {
    return followRecord<BatchRecord>(
      this.transport,
      {
        open: (wire) => followBatch({ ...wire, path: pathOf({ id }) }),
        isFinal: hasEnded,
      },
      call,
    );
  }

  /** The records of the rows in row order, also while the batch runs. */
  results(id: string, filters: RowFilters = {}, call?: CallOptions): AsyncIterable<CaptureRecord> {
    return pages((cursor) =>
      this.resultsPage(id, { limit: PAGE_ITEMS, ...filters, ...(cursor !== undefined && { cursor }) }, call),
    );
  }

  /** One page of the records of the rows, and the cursor of the next one, which stays valid. */
  async resultsPage(id: string, filters: RowPageFilters = {}, call?: CallOptions): Promise<CaptureList> {
    const { data } = await listBatchResults({ ...this.json(call), path: pathOf({ id }), query: filters });
    return data;
  }

  /** All records as CSV. */
  download(id: string, call?: CallOptions): Promise<DownloadedFile> {
    return download(this.transport, csvOf(id), call);
  }

  /** Saves all records as CSV. */
  downloadToPath(id: string, path: string, call?: CallOptions): Promise<Saved<DownloadedFile>> {
    return downloadTo(this.transport, csvOf(id), { path, call });
  }

  /** The files of all rows and `results.csv` as a zip archive, in memory: for large batches use `filesToPath`. */
  files(id: string, call?: CallOptions): Promise<DownloadedFile> {
    return download(this.transport, zipOf(id), call);
  }

  /** Saves the files of all rows and `results.csv` as a zip archive. */
  filesToPath(id: string, path: string, call?: CallOptions): Promise<Saved<DownloadedFile>> {
    return downloadTo(this.transport, zipOf(id), { path, call });
  }

  /** Cancels the rows that have not ended. */
  async cancel(id: string, call?: CallOptions): Promise<BatchRecord> {
    const { data } = await cancelBatch({ ...this.json(call), path: pathOf({ id }) });
    return data;
  }

  private async submit(
    { dry_run, ...body }: JsonBatchRequest & { dry_run?: true },
    call?: CallOptions,
  ): Promise<AcceptedBatch | BatchVerdict> {
    const query = dry_run ? { dry_run } : {};
    const { data } = await submitJsonBatch({ ...this.json(call), body, query });
    return data;
  }

  private async submitCsv(
    csv: Csv,
    query: NonNullable<SubmitCsvBatchData['query']>,
    call?: CallOptions,
  ): Promise<AcceptedBatch | BatchVerdict> {
    const { data } = await submitCsvBatch({
      ...this.json(call),
      // The generated type knows text only; what is sent is whatever fetch takes.
      body: csv as string,
      query,
      querySerializer: jsonQuery,
    });
    return data;
  }

  private json(call: CallOptions = {}): Wire {
    return this.transport.wire({ call, consume: jsonConsumer });
  }
}

/** Lists and objects in a query are JSON. */
function jsonQuery(query: Record<string, unknown>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  return search.toString();
}

function csvOf(id: string): Download<DownloadedFile> {
  return { kind: CSV_FILE, run: (wire) => downloadBatchResults({ ...wire, path: pathOf({ id }) }) };
}

function zipOf(id: string): Download<DownloadedFile> {
  return { kind: ZIP_FILE, run: (wire) => downloadBatchFiles({ ...wire, path: pathOf({ id }) }) };
}
