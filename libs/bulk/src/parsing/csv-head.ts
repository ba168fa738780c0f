import { AppError, type Fault } from '@app/kernel';
import { MAX_HEADER_BYTES } from '../limits.js';

const EXPORT = 'Export the sheet as CSV, in UTF-8.';
const BOM = Buffer.from('\ufeff');
const [LF, CR, QUOTE] = [0x0a, 0x0d, 0x22];

/** File types that are sent instead of a CSV by mistake, by their first bytes. */
const OTHER_TYPES: readonly (readonly [prefix: readonly number[], name: string])[] = [
  [[0x50, 0x4b, 0x03, 0x04], 'a ZIP archive, such as an .xlsx or .ods spreadsheet'],
  [[0x50, 0x4b, 0x05, 0x06], 'an empty ZIP archive'],
  [[0xd0, 0xcf, 0x11, 0xe0], 'an old Microsoft Office file, such as an .xls spreadsheet'],
  [[0x89, 0x50, 0x4e, 0x47], 'a PNG picture'],
  [[0xff, 0xd8, 0xff], 'a JPEG picture'],
  [[0x47, 0x49, 0x46, 0x38], 'a GIF picture'],
  [[0x25, 0x50, 0x44, 0x46], 'a PDF'],
];

const GZIP = [0x1f, 0x8b];

/** Byte order marks of UTF-16. That of little-endian UTF-32 begins with the same bytes. */
const WIDE_BOMS = [
  [0xff, 0xfe],
  [0xfe, 0xff],
];

/** The start of a CSV. */
export interface CsvHead {
  /** The bytes read so far, without a byte order mark. */
  readonly bytes: Buffer;
  /** Of these, the bytes up to the end of the header. */
  readonly headerBytes: number;
  /** A comma, a semicolon or a tab: the one that the header has most of outside quotes. */
  readonly delimiter: string;
}

/**
 * Reads as many chunks of a CSV as contain its header.
 *
 * @throws AppError `invalid_csv` if the bytes are no CSV in UTF-8, or the header is too long
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
  const read: Buffer[] = [];
  let size = 0;
  while (!header.isOver) {
    const next = await chunks.next();
    if (next.done) break;
    read.push(next.value);
    header.scan(next.value);
    size += next.value.length;
    if (size > MAX_HEADER_BYTES && !header.isOver) break;
  }
  const bytes = Buffer.concat(read);
  assertText(bytes);
  if (size > MAX_HEADER_BYTES && !header.isOver) throw tooLong();
  const mark = startsWith(bytes, [...BOM]) ? BOM.length : 0;
  return {
    bytes: bytes.subarray(mark),
    headerBytes: header.end - mark,
    delimiter: header.delimiter,
  };
}

/** Scans chunks for the end of the first line that is not blank, and counts the possible delimiters in it. */
class HeaderLine {
  isOver = false;
  /** The bytes up to its line break, with those of blank lines before it. */
  end = 0;
  private hasStarted = false;
  private isQuoted = false;
  private readonly counts = new Map([',', ';', '\t'].map((each) => [each.charCodeAt(0), 0]));

  scan(chunk: Buffer): void {
    for (const byte of chunk) {
      if (byte === QUOTE) this.isQuoted = !this.isQuoted;
      if (this.isQuoted) {
        this.end++;
        continue;
      }
      if (byte === LF || byte === CR) this.isOver ||= this.hasStarted;
      // A byte order mark may stand before blank lines.
      else if (!BOM.includes(byte)) this.hasStarted = true;
      if (this.isOver) return;
      this.end++;
      const count = this.counts.get(byte);
      if (count !== undefined) this.counts.set(byte, count + 1);
    }
  }

  get delimiter(): string {
    const [[most] = [0x2c]] = [...this.counts].sort(([, a], [, b]) => b - a);
    return String.fromCharCode(most);
  }
}

function assertText(bytes: Buffer): void {
  if (startsWith(bytes, GZIP)) {
    throw invalidCsv(
      'The file is compressed with gzip. Send it as it is, or with the header Content-Encoding: gzip.',
    );
  }
  const other = OTHER_TYPES.find(([prefix]) => startsWith(bytes, prefix));
  if (other) throw invalidCsv(`The file is ${other[1]}, not a CSV. ${EXPORT}`);
  if (WIDE_BOMS.some((bom) => startsWith(bytes, bom)) || isWide(bytes)) {
    throw invalidCsv(`The file is in UTF-16, not in UTF-8. ${EXPORT}`);
  }
}

function startsWith(bytes: Buffer, prefix: readonly number[]): boolean {
  return prefix.every((byte, i) => bytes[i] === byte);
}

/** Latin letters in UTF-16 without a byte order mark: every second byte is NUL. */
function isWide(bytes: Buffer): boolean {
  const [a, b, c, d] = bytes;
  return (a === 0 && c === 0 && b !== 0) || (b === 0 && d === 0 && a !== 0);
}

/** The error of a CSV that cannot be read as a whole. */
export function invalidCsv(detail: string, errors?: readonly Fault[]): AppError {
  return new AppError('invalid_csv', { detail, errors });
}

/** The error of a CSV that cannot be read beyond one of its records, in which the header has no row number. */
export function invalidRecord(
  { row, line }: { readonly row?: number; readonly line: number },
  code: string,
  detail: string,
): AppError {
  const where = row === undefined ? 'The header' : `Row ${row}, which begins in line ${line},`;
  return invalidCsv(`${where} ${detail}`, [{ pointer: '', row, line, code, detail }]);
}

function tooLong(): AppError {
  return invalidCsv(`The header, which is the first line, is longer than ${MAX_HEADER_BYTES} bytes (64 kB).`);
}
