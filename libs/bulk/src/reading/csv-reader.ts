import { setImmediate } from 'node:timers/promises';
import { pluralize, type Fault, type FieldSpec } from '@app/kernel';
import { ROWS_AT_ONCE } from '../limits.js';
import type { CheckedRow } from './checked-row.js';
import { decodeCell, readCell } from './csv-cell.js';
import { readHeader } from './csv-columns.js';
import { takeHead } from './csv-head.js';
import { recordsOf, type CsvRecord } from './csv-records.js';
import type { Reading } from './reading.js';

/**
 * The rows of a CSV, checked, as its bytes come in: what is kept of it is one row at most.
 *
 * @throws AppError `invalid_csv` of the file as a whole; and what reading the body throws
 */
export async function* readCsv(
  body: AsyncIterable<Buffer>,
  { checker, defaults, note }: Reading,
): AsyncGenerator<CheckedRow, void, undefined> {
  const chunks = body[Symbol.asyncIterator]();
  const head = await takeHead(chunks);
  let columns: readonly FieldSpec[] | undefined;
  let row = 0;
  for await (const record of recordsOf(rejoined(head.bytes, chunks), head.delimiter)) {
    if (!columns) {
      columns = readHeader(record, defaults);
      continue;
    }
    if (++row % ROWS_AT_ONCE === 0) await setImmediate();
    const { written, faults } = readRow(columns, record);
    note?.(written);
    yield checker.check({ row, line: record.line }, written, faults);
  }
}

/** What was taken, and what is still to come. */
async function* rejoined(head: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  try {
    yield head;
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

interface ReadRow {
  readonly written: Record<string, unknown>;
  readonly faults: readonly Fault[];
}

/** An empty cell leaves the option to its default. */
function readRow(columns: readonly FieldSpec[], { cells }: CsvRecord): ReadRow {
  const written: Record<string, unknown> = {};
  const faults: Fault[] = [];
  for (const [i, spec] of columns.entries()) {
    const text = decodeCell(cells[i] ?? '');
    if (text === undefined) {
      faults.push({ pointer: `/${spec.name}`, code: 'invalid_characters', detail: 'is not valid UTF-8' });
    } else if (text !== '') {
      written[spec.name] = readCell(spec, text);
    }
  }
  if (cells.length !== columns.length) {
    const detail = `has ${pluralize(cells.length, 'cell', 'cells')}, but the header has ${columns.length}; put a cell that holds a separator in quotes`;
    return { written, faults: [{ pointer: '', code: 'wrong_cell_count', detail }] };
  }
  return { written, faults };
}
