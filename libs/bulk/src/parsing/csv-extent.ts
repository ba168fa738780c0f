import { MAX_BLANK_LINES, MAX_COLUMNS, MAX_ROW_BYTES, MAX_ROWS, tooManyRows } from '../limits.js';
import { invalidCsv, invalidRecord, type CsvHead } from './csv-head.js';

const [LF, CR, QUOTE] = [0x0a, 0x0d, 0x22];

/**
 * Reads a CSV whole, and refuses it at the first excess, before a parser makes anything of it.
 *
 * @param rest of the chunks, after those of the head
 * @throws AppError `invalid_csv`, `payload_too_large`; and what reading the body throws
 */
export async function readWhole(
  { bytes, delimiter }: CsvHead,
  rest: AsyncIterator<Buffer>,
): Promise<Buffer[]> {
  const extent = new CsvExtent(delimiter);
  const chunks: Buffer[] = [];
  try {
    for (let next: IteratorResult<Buffer> = { value: bytes }; !next.done; next = await rest.next()) {
      extent.scan(next.value);
      chunks.push(next.value);
    }
  } finally {
    await rest.return?.();
  }
  extent.finish();
  return chunks;
}

/**
 * Counts the records of a CSV, their cells and their bytes. It stops where a quote is misplaced: the parser refuses the file there,
 * and says why.
 */
class CsvExtent {
  private readonly isSpecial = new Uint8Array(256);
  /** Bytes of the chunks before. The positions below count from the first byte of the file. */
  private size = 0;
  private recordStart = 0;
  private cellStart = 0;
  private quoteEnd = -1;
  private crAt = -2;
  private isQuoted = false;
  private isMisplaced = false;
  private cells = 1;
  /** That have ended; the first one is the header. */
  private records = 0;
  private blankLines = 0;
  private line = 1;
  private firstLine = 1;

  constructor(delimiter: string) {
    for (const byte of [LF, CR, QUOTE, delimiter.charCodeAt(0)]) this.isSpecial[byte] = 1;
  }

  scan(chunk: Buffer): void {
    const { isSpecial } = this;
    for (let i = 0; i < chunk.length && !this.isMisplaced; i++) {
      const byte = chunk[i] ?? 0;
      if (isSpecial[byte] === 1) this.read(byte, this.size + i);
    }
    this.size += chunk.length;
    if (!this.isMisplaced) this.assertLength(this.size);
  }

  finish(): void {
    if (!this.isMisplaced && this.size > this.recordStart) this.endRecord(this.size);
  }

  private read(byte: number, at: number): void {
    if (byte === QUOTE) this.readQuote(at);
    else if (byte === LF || byte === CR) this.endLine(byte, at);
    else if (!this.isQuoted) this.endCell(at);
  }

  private readQuote(at: number): void {
    if (this.isQuoted) this.quoteEnd = at + 1;
    else if (at !== this.cellStart && at !== this.quoteEnd) this.isMisplaced = true;
    this.isQuoted = !this.isQuoted;
  }

  private endCell(at: number): void {
    this.cellStart = at + 1;
    this.cells++;
    // The header is short, and its columns are counted when they are named.
    if (this.cells <= MAX_COLUMNS || this.records === 0) return;
    throw invalidRecord(this.place, 'wrong_cell_count', `has more than ${MAX_COLUMNS} cells`);
  }

  private endLine(byte: number, at: number): void {
    const isSecondHalf = byte === LF && at === this.crAt + 1;
    if (byte === CR) this.crAt = at;
    if (!isSecondHalf) this.line++;
    if (this.isQuoted) return;
    if (at > this.recordStart) this.endRecord(at);
    else if (!isSecondHalf) this.addBlankLine();
    this.recordStart = at + 1;
    this.cellStart = at + 1;
    this.cells = 1;
    this.firstLine = this.line;
  }

  private endRecord(end: number): void {
    this.assertLength(end);
    this.records++;
    if (this.records > MAX_ROWS + 1) throw tooManyRows();
  }

  private addBlankLine(): void {
    this.blankLines++;
    if (this.blankLines > MAX_BLANK_LINES) {
      throw invalidCsv(`The file has more than ${MAX_BLANK_LINES} blank lines.`);
    }
  }

  private assertLength(end: number): void {
    if (end - this.recordStart <= MAX_ROW_BYTES) return;
    const detail = `is longer than ${MAX_ROW_BYTES} bytes (4 MB); is a quote not closed?`;
    throw invalidRecord(this.place, 'too_long', detail);
  }

  /** The record that is being read. */
  private get place(): { row?: number; line: number } {
    return { line: this.firstLine, ...(this.records > 0 && { row: this.records }) };
  }
}
