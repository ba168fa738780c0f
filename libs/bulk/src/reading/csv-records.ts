import { pipeline } from 'node:stream';
import { CsvError, parse, type CsvErrorCode, type Info, type InfoRecord } from 'csv-parse';
import type { AppError } from '@app/kernel';
import { MAX_ROW_BYTES } from '../limits.js';
import { invalidCsv } from './csv-fault.js';

/** A line of a CSV that is not blank, or several when its cells have line ends in quotes. */
export interface CsvRecord {
  /** In Latin 1, which keeps every byte: whether a cell is UTF-8 is to be told of that cell. */
  readonly cells: readonly string[];
  /** It begins in this line of the file, from 1. */
  readonly line: number;
}

const LINE_END = /\r\n|\n|\r/g;

/**
 * The records of a CSV, the header among them.
 *
 * @throws AppError `invalid_csv` where quotes leave open where the next record begins
 */
export async function* recordsOf(
  bytes: AsyncIterable<Buffer>,
  delimiter: string,
): AsyncGenerator<CsvRecord, void, undefined> {
  const lines = new LineCount();
  const parser = parse({
    delimiter,
    encoding: 'latin1',
    max_record_size: MAX_ROW_BYTES,
    // Each line may end in its own way: files are put together from others.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    skip_empty_lines: true,
    on_record: (cells, info) => {
      lines.pass(cells, info);
      return cells;
    },
  });
  try {
    // Its errors come out of the parser, too.
    pipeline(bytes, parser, () => undefined);
    for await (const cells of parser as AsyncIterable<string[]>) yield { cells, line: lines.startOf(cells) };
  } catch (error) {
    throw error instanceof CsvError ? explained(error, lines.next(parser.info)) : error;
  }
}

/**
 * In which lines records begin and end. It is told as they are parsed, so that it also knows where an error is, before
 * which some are not read any more. csv-parse counts a CRLF in quotes twice.
 */
class LineCount {
  private records = 0;
  /** The last line of the latest record, and the blank ones up to there. */
  private last = 0;
  private blank = 0;
  private countedTwice = 0;
  private readonly starts = new WeakMap<readonly string[], number>();

  pass(cells: readonly string[], { lines, empty_lines: blank }: InfoRecord): void {
    const ends = cells.flatMap((cell) => cell.match(LINE_END) ?? []);
    this.countedTwice += ends.filter((end) => end === '\r\n').length;
    this.records++;
    this.blank = blank;
    this.last = lines - this.countedTwice;
    this.starts.set(cells, this.last - ends.length);
  }

  startOf(cells: readonly string[]): number {
    return this.starts.get(cells) ?? 1;
  }

  /** Where the record is that could not be parsed; the header has no number. */
  next({ empty_lines: blank }: Info): { row?: number; line: number } {
    const line = this.last + 1 + blank - this.blank;
    return this.records === 0 ? { line } : { row: this.records, line };
  }
}

function explained({ code }: CsvError, { row, line }: { row?: number; line: number }): AppError {
  const where = row === undefined ? 'The header' : `Row ${row}, which begins in line ${line},`;
  const [fault, detail] = FAULTS[code] ?? MISPLACED;
  return invalidCsv(`${where} ${detail}`, [{ pointer: '', row, line, code: fault, detail }]);
}

/** What csv-parse cannot go on after, but for a quote where none can be. */
const FAULTS: Partial<Record<CsvErrorCode, readonly [code: string, detail: string]>> = {
  CSV_QUOTE_NOT_CLOSED: ['unclosed_quote', 'has a quote that is never closed'],
  CSV_MAX_RECORD_SIZE: ['too_long', `is longer than ${MAX_ROW_BYTES} bytes (4 MB); is a quote not closed?`],
};

const MISPLACED = [
  'misplaced_quote',
  'has a quote in the middle of a cell: put the whole cell in quotes, and write each quote in it twice',
] as const;
