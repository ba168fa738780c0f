import { Injectable } from '@nestjs/common';
import { BatchRowExportRepository, captureResultPath, type ExportedRow } from '@app/jobs';
import { stringify, type Options } from 'csv-stringify/sync';

/** The columns of a results CSV, in their order. Columns may be added at the end, never renamed. */
export const RESULT_COLUMNS = [
  'row',
  'reference',
  'url',
  'final_url',
  'status',
  'http_status',
  'error_code',
  'error_message',
  'attempts',
  'format',
  'width',
  'height',
  'bytes',
  'sha256',
  'title',
  'queue_ms',
  'total_ms',
  'result_url',
  'expires_at',
  'created_at',
  'finished_at',
] as const satisfies readonly (keyof ExportedRow | 'result_url')[];
export type ResultColumn = (typeof RESULT_COLUMNS)[number];

const OPTIONS = {
  columns: [...RESULT_COLUMNS],
  // RFC 4180: lines end in CRLF. By default a cell with a lone CR or LF would not be quoted.
  record_delimiter: 'windows',
  quote_record_delimiter: true,
  // Titles and references come from pages and callers, and a spreadsheet would run `=cmd|…`. The library escapes cells
  // that begin with `=`, `+`, `-`, `@`, tab, CR or the full-width forms of these signs.
  escape_formulas: true,
} satisfies Options;

/** A last column, with the cells of those rows that have one. */
export interface ExtraColumn {
  readonly name: string;
  readonly cells: ReadonlyMap<number, string>;
}

/** Writes the results of batches as CSV. */
@Injectable()
export class ResultsCsvService {
  constructor(private readonly rows: BatchRowExportRepository) {}

  /** All rows of a batch, in row order. Reads from the database as fast as the text is consumed. */
  write(batchId: string, extra?: ExtraColumn): AsyncGenerator<string> {
    return writeResults(this.rows.pages(batchId), extra);
  }
}

/** Writes pages of rows as one CSV (RFC 4180, with a header), in one chunk for each page. */
export async function* writeResults(
  pages: AsyncIterable<ExportedRow[]>,
  extra?: ExtraColumn,
): AsyncGenerator<string> {
  const options = extra ? { ...OPTIONS, columns: [...OPTIONS.columns, extra.name] } : OPTIONS;
  const toCells = (row: ExportedRow) => ({
    ...toResult(row),
    ...(extra && { [extra.name]: extra.cells.get(row.row) }),
  });
  let csv = stringify([], { ...options, header: true });
  for await (const page of pages) {
    // Whole pages, because each chunk is a write to the socket.
    csv += stringify(page.map(toCells), options);
    if (csv !== '') yield csv;
    csv = '';
  }
  if (csv !== '') yield csv;
}

function toResult(row: ExportedRow): ExportedRow & { readonly result_url: string | null } {
  return { ...row, result_url: row.has_file ? captureResultPath(row.id) : null };
}
