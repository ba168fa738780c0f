import type { BatchItem } from '@capture-service/client';
import { withScheme } from '../../../ui/web-address.js';
import { readTable, type CsvTable } from './csv-table.js';
import { plainCsv } from './plain-csv.js';

/** What a batch is made of. */
export type BatchSource = CsvSource | RowsSource;

export interface CsvSource {
  readonly kind: 'csv';
  /** Differs for each file, also when its name is the same. */
  readonly id: number;
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Null if the file cannot be read: the API says why. */
  readonly table: CsvTable | null;
}

export interface RowsSource {
  readonly kind: 'rows';
  readonly id: number;
  readonly name: string;
  readonly items: readonly BatchItem[];
}

let sources = 0;

export function csvSource(name: string, file: Uint8Array): CsvSource {
  const bytes = plainCsv(file);
  return { kind: 'csv', id: ++sources, name, bytes, table: readTable(bytes) };
}

export function rowsSource(name: string, items: readonly BatchItem[]): RowsSource {
  return { kind: 'rows', id: ++sources, name, items };
}

const WITH_SCHEME = /^https?:\/\/\S+$/i;

/**
 * One URL in each line; blank lines and those that begin with `#` are left out, as by `capture batch`. An address without a
 * scheme gets one.
 */
export function urlsOf(text: string): BatchItem[] {
  return linesOf(text)
    .filter((line) => !line.startsWith('#'))
    .map((line) => ({ url: withScheme(line) }));
}

/**
 * One JSON object in each line.
 *
 * @throws Error that names the first line that is none
 */
export function jsonLinesOf(text: string): BatchItem[] {
  return text.split(/\r\n|\n|\r/).flatMap((line, i) => (line.trim() === '' ? [] : [itemOf(line, i + 1)]));
}

function itemOf(line: string, number: number): BatchItem {
  let item: unknown;
  try {
    item = JSON.parse(line);
  } catch {
    item = undefined;
  }
  if (typeof item === 'object' && item !== null && !Array.isArray(item)) return item;
  throw new Error(
    `Line ${number} is not a JSON object. Each line is one row, such as {"url":"https://example.com"}.`,
  );
}

/** What a pasted or dropped text is. */
export function kindOfText(text: string, fileName = ''): 'csv' | 'urls' | 'json lines' {
  const [first = ''] = linesOf(text);
  if (/\.(jsonl|ndjson)$/i.test(fileName) || first.startsWith('{')) return 'json lines';
  if (first.startsWith('#')) return 'urls';
  // A comma may be part of a URL, but in a CSV it separates the cells.
  const separators = /\.csv$/i.test(fileName) ? /[,;\t]/ : /[;\t]/;
  const isUrl = WITH_SCHEME.test(withScheme(first)) && !separators.test(first);
  return isUrl ? 'urls' : 'csv';
}

function linesOf(text: string): string[] {
  return text
    .replace(/^\ufeff/, '')
    .split(/\r\n|\n|\r/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
