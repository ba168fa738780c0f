import type { AppError } from '@app/kernel';
import { MAX_HEADER_BYTES } from '../limits.js';
import { invalidCsv } from './csv-fault.js';

const EXPORT = 'Export the sheet as CSV, in UTF-8.';
const BOM = Buffer.from('\ufeff');
const [LF, CR, QUOTE] = [0x0a, 0x0d, 0x22];

/** What people send in the place of a CSV, by the bytes that each begins with. */
const OTHER_KINDS: readonly (readonly [begin: readonly number[], name: string])[] = [
  [[0x50, 0x4b, 0x03, 0x04], 'a ZIP archive, such as an .xlsx or .ods spreadsheet'],
  [[0x50, 0x4b, 0x05, 0x06], 'an empty ZIP archive'],
  [[0xd0, 0xcf, 0x11, 0xe0], 'an old Microsoft Office file, such as an .xls spreadsheet'],
  [[0x89, 0x50, 0x4e, 0x47], 'a PNG picture'],
  [[0xff, 0xd8, 0xff], 'a JPEG picture'],
  [[0x47, 0x49, 0x46, 0x38], 'a GIF picture'],
  [[0x25, 0x50, 0x44, 0x46], 'a PDF'],
];

const GZIP = [0x1f, 0x8b];

/** UTF-16, and UTF-32, whose mark of little endian begins with the same bytes. */
const WIDE_MARKS = [
  [0xff, 0xfe],
  [0xfe, 0xff],
];

/** The beginning of a CSV. */
export interface CsvHead {
  /** All that was taken to tell, without the mark of UTF-8. */
  readonly bytes: Buffer;
  /** Of the commas, semicolons and tabs outside quotes, what the header has most of. */
  readonly delimiter: string;
}

/**
 * Takes as much of a CSV as holds its header.
 *
 * @throws AppError `invalid_csv` of what is no CSV in UTF-8, or has no end of a header within bounds
 */
export async function takeHead(chunks: AsyncIterator<Buffer>): Promise<CsvHead> {
  try {
    return await readHead(chunks);
  } catch (error) {
    await chunks.return?.();
    throw error;
  }
}

async function readHead(chunks: AsyncIterator<Buffer>): Promise<CsvHead> {
  const header = new HeaderLine();
  const taken: Buffer[] = [];
  let size = 0;
  while (!header.isOver) {
    const next = await chunks.next();
    if (next.done) break;
    taken.push(next.value);
    header.scan(next.value);
    size += next.value.length;
    if (size > MAX_HEADER_BYTES && !header.isOver) break;
  }
  const bytes = Buffer.concat(taken);
  refuseOthers(bytes);
  if (size > MAX_HEADER_BYTES && !header.isOver) throw tooLong();
  return {
    bytes: startsWith(bytes, [...BOM]) ? bytes.subarray(BOM.length) : bytes,
    delimiter: header.delimiter,
  };
}

/** Finds the end of the first line that is not blank, piece by piece, and counts what may separate its cells. */
class HeaderLine {
  isOver = false;
  private hasBegun = false;
  private isQuoted = false;
  private readonly counts = new Map([',', ';', '\t'].map((each) => [each.charCodeAt(0), 0]));

  scan(piece: Buffer): void {
    for (const byte of piece) {
      if (byte === QUOTE) this.isQuoted = !this.isQuoted;
      if (this.isQuoted) continue;
      if (byte === LF || byte === CR) this.isOver ||= this.hasBegun;
      else this.hasBegun = true;
      if (this.isOver) return;
      const count = this.counts.get(byte);
      if (count !== undefined) this.counts.set(byte, count + 1);
    }
  }

  get delimiter(): string {
    const [[most] = [0x2c]] = [...this.counts].sort(([, a], [, b]) => b - a);
    return String.fromCharCode(most);
  }
}

function refuseOthers(bytes: Buffer): void {
  if (startsWith(bytes, GZIP)) {
    throw invalidCsv(
      'The file is compressed with gzip. Send it as it is, or with the header Content-Encoding: gzip.',
    );
  }
  const other = OTHER_KINDS.find(([begin]) => startsWith(bytes, begin));
  if (other) throw invalidCsv(`The file is ${other[1]}, not a CSV. ${EXPORT}`);
  if (WIDE_MARKS.some((mark) => startsWith(bytes, mark)) || isWide(bytes)) {
    throw invalidCsv(`The file is in UTF-16, not in UTF-8. ${EXPORT}`);
  }
}

function startsWith(bytes: Buffer, begin: readonly number[]): boolean {
  return begin.every((byte, i) => bytes[i] === byte);
}

/** Latin letters in UTF-16 without a mark: every second byte is NUL. */
function isWide(bytes: Buffer): boolean {
  const [a, b, c, d] = bytes;
  return (a === 0 && c === 0 && b !== 0) || (b === 0 && d === 0 && a !== 0);
}

function tooLong(): AppError {
  return invalidCsv(`The header, which is the first line, is longer than ${MAX_HEADER_BYTES} bytes (64 kB).`);
}
