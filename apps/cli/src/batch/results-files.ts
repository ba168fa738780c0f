import type { RowOutcome } from './row-outcome.js';

const COLUMNS = [
  'row',
  'reference',
  'url',
  'final_url',
  'status',
  'http_status',
  'file',
  'bytes',
  'error_code',
  'error_detail',
  'capture_id',
] as const;

/** What a spreadsheet would run as a formula, in ASCII and in the full-width form of the signs. */
const FORMULA = /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/;

/** One line of JSON for each row. */
export function* ndjsonOf(outcomes: readonly RowOutcome[]): Iterable<string> {
  for (const outcome of outcomes) yield `${JSON.stringify(outcome)}\n`;
}

/** A CSV (RFC 4180) with the same fields; no cell is run by a spreadsheet. */
export function* csvOf(outcomes: readonly RowOutcome[]): Iterable<string> {
  yield `${COLUMNS.join(',')}\r\n`;
  for (const { error, ...fields } of outcomes) {
    const cells = { ...fields, error_code: error?.code ?? null, error_detail: error?.detail ?? null };
    yield `${COLUMNS.map((column) => cellOf(cells[column])).join(',')}\r\n`;
  }
}

function cellOf(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
