import { setImmediate } from 'node:timers/promises';
import { pluralize, type Fault, type FieldSpec } from '@app/kernel';
import { MAX_CELL_VALUES, ROWS_AT_ONCE } from '../limits.js';
import { decodeCell, hasTooManyValues, readCell, readHeader } from './csv-columns.js';
import { readWhole } from './csv-extent.js';
import { takeHead, type CsvHead } from './csv-head.js';
import { recordsOf, type CsvRecord } from './csv-records.js';
import type { CheckedRow, RawOptions, ReadOptions } from './row-checker.js';

/**
 * The rows of a CSV, each parsed and validated when it is its turn.
 *
 * @throws AppError `invalid_csv` if the file cannot be read as a whole, `payload_too_large`; and what reading the body throws
 */
export async function* readCsv(
  body: AsyncIterable<Buffer>,
  { checker, defaults, onRow }: ReadOptions,
): AsyncGenerator<CheckedRow, void, undefined> {
  const chunks = body[Symbol.asyncIterator]();
  const head = await takeHead(chunks);
  const columns = await columnsOf(head, chunks, defaults);
  let row = -1;
  for await (const record of recordsOf(await readWhole(head, chunks), head.delimiter)) {
    // The header.
    if (++row === 0) continue;
    if (row % ROWS_AT_ONCE === 0) await setImmediate();
    const { raw, faults } = readRow(columns, record);
    onRow?.(raw);
    yield checker.check({ row, line: record.line }, raw, faults);
  }
}

/** Reads the header by itself: a CSV that is refused for it is not read further. */
async function columnsOf(
  { bytes, headerBytes, delimiter }: CsvHead,
  rest: AsyncIterator<Buffer>,
  defaults: RawOptions,
): Promise<readonly FieldSpec[]> {
  try {
    for await (const record of recordsOf([bytes.subarray(0, headerBytes)], delimiter)) {
      return readHeader(record, defaults);
    }
    return [];
  } catch (error) {
    await rest.return?.();
    throw error;
  }
}

const NOT_UTF8 = { code: 'invalid_characters', detail: 'is not valid UTF-8' };
const TOO_MANY_VALUES = {
  code: 'too_many',
  detail: `must have at most ${MAX_CELL_VALUES} values in all`,
};

interface ReadRow {
  readonly raw: Record<string, unknown>;
  readonly faults: readonly Fault[];
}

/** An empty cell leaves the option at its default. */
function readRow(columns: readonly FieldSpec[], { cells }: CsvRecord): ReadRow {
  const raw: Record<string, unknown> = {};
  const faults: Fault[] = [];
  for (const [i, spec] of columns.entries()) {
    const text = decodeCell(cells[i] ?? '');
    const fault = text === undefined ? NOT_UTF8 : hasTooManyValues(spec, text) ? TOO_MANY_VALUES : undefined;
    if (fault) faults.push({ pointer: `/${spec.name}`, ...fault });
    else if (text !== undefined && text !== '') raw[spec.name] = readCell(spec, text);
  }
  if (cells.length !== columns.length) {
    const detail = `has ${pluralize(cells.length, 'cell', 'cells')}, but the header has ${columns.length}; put a cell that holds a separator in quotes`;
    return { raw, faults: [{ pointer: '', code: 'wrong_cell_count', detail }] };
  }
  return { raw, faults };
}
