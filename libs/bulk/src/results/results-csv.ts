import { stringify, type Options } from 'csv-stringify/sync';

/** The columns of a batch's results, in their order. Columns may be added at the end, never renamed. */
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
] as const;
export type ResultColumn = (typeof RESULT_COLUMNS)[number];

/** What became of one row, ready to be written. */
export type ResultRow = Readonly<Record<ResultColumn, string | number | null>>;

const OPTIONS = {
  columns: [...RESULT_COLUMNS],
  // RFC 4180: lines end in CRLF, and a cell with CR or LF alone is quoted, too, which by default it is not.
  record_delimiter: 'windows',
  quote_record_delimiter: true,
  // A page names its own title and a caller the reference: a spreadsheet would run `=cmd|…` of either. The library
  // takes `=`, `+`, `-`, `@`, tab, CR and the full-width forms of these signs for the beginning of a formula.
  escape_formulas: true,
} satisfies Options;

/** A CSV (RFC 4180, with a header) of rows that come in pages; a piece for each page. */
export async function* writeResults(pages: AsyncIterable<ResultRow[]>): AsyncGenerator<string> {
  let csv = stringify([], { ...OPTIONS, header: true });
  for await (const page of pages) {
    // A page at once: row by row, each would be a write to the socket.
    csv += stringify(page, OPTIONS);
    if (csv !== '') yield csv;
    csv = '';
  }
  if (csv !== '') yield csv;
}
