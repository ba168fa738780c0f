import type { CsvHeader, JsonRow, SourceRow } from './source-rows.js';
import { nameOf, UnreadableListError } from './source-rows.js';

/** Limits of one batch of the service; docs/bulk.md. */
const MAX_ROWS = 10_000;
const MAX_BYTES = 10 * 1_024 * 1_024;

/** The part of the limit that is left for what surrounds the rows, without the options of all of them. */
const ENVELOPE_BYTES = 4_096;

/** Rows that are submitted in one request. */
export type Submission = CsvSubmission | JsonSubmission;

interface CsvSubmission {
  readonly kind: 'csv';
  readonly rows: readonly SourceRow[];
  readonly csv: Uint8Array<ArrayBuffer>;
  readonly header: CsvHeader;
}

interface JsonSubmission {
  readonly kind: 'json';
  readonly rows: readonly SourceRow[];
  readonly items: readonly unknown[];
}

/**
 * Divides rows into the fewest batches in their order; a batch has rows of one CSV header, or of no CSV.
 *
 * @param defaultBytes size of the options for all rows, which are sent with each batch
 * @throws UnreadableListError if a row is too large for any batch
 */
export function planOf(rows: readonly SourceRow[], defaultBytes: number): Submission[] {
  const groups: SourceRow[][] = [];
  let bytes = 0;
  for (const row of rows) {
    const group = groups.at(-1);
    const size = sizeOf(row);
    const start = ENVELOPE_BYTES + (row.kind === 'csv' ? row.header.text.length : defaultBytes);
    if (start + size > MAX_BYTES) throw tooLarge(row, size);
    if (group && group.length < MAX_ROWS && bytes + size <= MAX_BYTES && isAlike(group[0], row)) {
      group.push(row);
      bytes += size;
    } else {
      groups.push([row]);
      bytes = start + size;
    }
  }
  return groups.map(submissionOf);
}

/** The request for rows that belong together. */
export function submissionOf(rows: readonly SourceRow[]): Submission {
  const [first] = rows;
  if (first?.kind !== 'csv') return { kind: 'json', rows, items: rows.map((row) => (row as JsonRow).item) };
  const { header } = first;
  const lines = [header, ...rows.filter((row) => row.kind === 'csv')].map(({ text }) => text);
  return { kind: 'csv', rows, header, csv: Buffer.from(`${lines.join('\n')}\n`, 'latin1') };
}

function isAlike(one: SourceRow | undefined, other: SourceRow): boolean {
  if (one?.kind === 'csv' && other.kind === 'csv') return one.header === other.header;
  return one?.kind === other.kind;
}

function sizeOf(row: SourceRow): number {
  return 1 + (row.kind === 'csv' ? row.text.length : Buffer.byteLength(JSON.stringify(row.item)));
}

function tooLarge({ row, file, line }: SourceRow, size: number): UnreadableListError {
  const where = line === undefined ? `Row ${row}` : `Row ${row} (line ${line})`;
  return new UnreadableListError(
    `${where} of ${nameOf({ name: file })} has ${size} bytes; a batch has at most ${MAX_BYTES}.`,
  );
}
