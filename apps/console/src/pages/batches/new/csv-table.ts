import { parse } from 'csv-parse/browser/esm/sync';
import { stringify } from 'csv-stringify/browser/esm/sync';

/** A CSV as the form shows it. Whether it is valid is for the API to say. */
export interface CsvTable {
  readonly columns: readonly string[];
  /** Without the header; `rows[0]` is the row 1 of the API. */
  readonly rows: readonly (readonly string[])[];
}

const DELIMITERS = [',', ';', '\t'] as const;
const LINE_END = /[\r\n]/;

/** Reads a CSV by the rules of the API (docs/bulk.md). Null if it is no CSV in UTF-8: the API says what is wrong with it. */
export function readTable(bytes: Uint8Array): CsvTable | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const [columns, ...rows]: string[][] = parse(text, {
      delimiter: delimiterOf(text),
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      skip_empty_lines: true,
    });
    return columns ? { columns: columns.map((name) => name.trim()), rows } : null;
  } catch {
    return null;
  }
}

/** The separator that the first line has most of outside of quotes. */
export function delimiterOf(text: string): string {
  const counts = new Map<string, number>(DELIMITERS.map((each) => [each, 0]));
  let isQuoted = false;
  for (const sign of text.trimStart()) {
    if (sign === '"') isQuoted = !isQuoted;
    if (isQuoted) continue;
    if (LINE_END.test(sign)) break;
    const seen = counts.get(sign);
    if (seen !== undefined) counts.set(sign, seen + 1);
  }
  return DELIMITERS.reduce((most, each) => ((counts.get(each) ?? 0) > (counts.get(most) ?? 0) ? each : most));
}

/**
 * The table as a CSV whose columns have other names; a column whose name is null is left out. A row with too few or too many
 * cells keeps that fault, so that the API still reports it.
 */
export function rewriteTable({ columns, rows }: CsvTable, names: readonly (string | null)[]): string {
  const kept = columns.flatMap((_, i) => (names[i] == null ? [] : [i]));
  const header = kept.map((i) => names[i]);
  const cells = rows.map((row) =>
    row.length === columns.length ? kept.map((i) => row[i]) : misfit(row, columns.length, kept.length),
  );
  // Without quotes, a row of one empty cell would be a blank line, which has no number.
  return stringify([header, ...cells], { quoted_empty: kept.length === 1 });
}

function misfit(row: readonly string[], expected: number, kept: number): readonly string[] {
  if (row.length > expected) return [...row.slice(0, kept), ...row.slice(expected)];
  return kept > 1 ? row.slice(0, kept - 1) : ['', ''];
}
