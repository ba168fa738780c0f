import { pipeline } from 'node:stream';
import { CsvError, parse, type Info, type InfoRecord } from 'csv-parse';
import type { AppError } from '@app/kernel';
import { invalidRecord } from './csv-head.js';

/** A record of a CSV: a line that is not blank, or several lines if cells have line breaks in quotes. */
export interface CsvRecord {
  /** Decoded as Latin 1, which keeps every byte, so that a fault can name the cell that is not UTF-8. */
  readonly cells: readonly string[];
  /** The line of the file in which it begins, from 1. */
  readonly line: number;
}

/**
 * The records of a CSV, including the header.
 *
 * @throws AppError `invalid_csv` if quotes leave the start of the next record undefined
 */
export async function* recordsOf(
  bytes: Iterable<Buffer>,
  delimiter: string,
): AsyncGenerator<CsvRecord, void, undefined> {
  const lines = new LineCount();
  const parser = parse({
    delimiter,
    encoding: 'latin1',
    // Line ends may differ within a file, because files are concatenated from others.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    skip_empty_lines: true,
    on_record: (cells, info) => {
      lines.add(cells, info);
      return cells;
    },
  });
  try {
    pipeline(bytes, parser, () => undefined);
    for await (const cells of parser as AsyncIterable<string[]>) yield { cells, line: lines.startOf(cells) };
  } catch (error) {
    throw error instanceof CsvError ? toInvalidCsv(error, lines.next(parser.info)) : error;
  }
}

/**
 * Tracks the lines in which records begin. It sees records when they are parsed, not when they are read, so that it also
 * knows the line of an error. csv-parse counts a CRLF in quotes twice, which is corrected here.
 */
class LineCount {
  private records = 0;
  /** The last line of the latest record, and the number of blank lines up to it. */
  private last = 0;
  private blank = 0;
  private countedTwice = 0;
  private readonly starts = new WeakMap<readonly string[], number>();

  add(cells: readonly string[], { lines, empty_lines: blank }: InfoRecord): void {
    let ends = 0;
    for (const cell of cells) {
      const pairs = countOf('\r\n', cell);
      this.countedTwice += pairs;
      ends += countOf('\n', cell) + countOf('\r', cell) - pairs;
    }
    this.records++;
    this.blank = blank;
    this.last = lines - this.countedTwice;
    this.starts.set(cells, this.last - ends);
  }

  startOf(cells: readonly string[]): number {
    return this.starts.get(cells) ?? 1;
  }

  /** The position of the record that could not be parsed; the header has no row number. */
  next({ empty_lines: blank }: Info): { row?: number; line: number } {
    const line = this.last + 1 + blank - this.blank;
    return this.records === 0 ? { line } : { row: this.records, line };
  }
}

/** A cell may be megabytes of line breaks: they are counted, not collected. */
function countOf(end: string, cell: string): number {
  let count = 0;
  for (let at = cell.indexOf(end); at !== -1; at = cell.indexOf(end, at + end.length)) count++;
  return count;
}

/** The errors after which csv-parse cannot continue: a quote that is never closed, and misplaced ones. */
function toInvalidCsv({ code }: CsvError, place: { row?: number; line: number }): AppError {
  if (code === 'CSV_QUOTE_NOT_CLOSED')
    return invalidRecord(place, 'unclosed_quote', 'has a quote that is never closed');
  const detail =
    'has a quote in the middle of a cell: put the whole cell in quotes, and write each quote in it twice';
  return invalidRecord(place, 'misplaced_quote', detail);
}
