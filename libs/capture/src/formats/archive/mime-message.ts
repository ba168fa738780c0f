import { tooLong } from '../markup/page-markup.js';

export interface MimePart {
  /** The media type, without parameters. */
  readonly type: string;
  /** The URL by which other parts find it. */
  readonly location?: string;
  /** The id by which other parts find it as `cid:`, without angle brackets. */
  readonly id?: string;
  readonly body: Buffer;
  /** A text is written in quoted-printable, anything else in base64. */
  readonly isText: boolean;
  /** The encoding of a text; UTF-8 by default. */
  readonly charset?: string;
}

export interface MimeHead {
  readonly title: string;
  readonly url: string;
  readonly date: Date;
}

/** RFC 2045 suggests `=_`, which no encoded body can contain. The same boundary gives the same bytes for the same page. */
const BOUNDARY = '----=_page';
const LINE_CHARS = 76;
/** Bytes that are encoded at a time. */
const CHUNK_BYTES = 57 * 16_384;

/** A message of MIME type `multipart/related` (RFC 2557), as browsers save pages. It never holds more than `maxBytes`. */
export class MimeMessage {
  private readonly pieces: Buffer[] = [];
  private bytes = 0;

  constructor(
    { title, url, date }: MimeHead,
    readonly maxBytes: number,
  ) {
    this.write(
      [
        'From: <Saved by Capture Service>',
        `Snapshot-Content-Location: ${url}`,
        `Subject: ${encodedWords(title)}`,
        `Date: ${date.toUTCString()}`,
        'MIME-Version: 1.0',
        `Content-Type: multipart/related;\r\n\ttype="text/html";\r\n\tboundary="${BOUNDARY}"`,
        '\r\n',
      ].join('\r\n'),
    );
  }

  /** Bytes that may still be written. */
  get left(): number {
    return this.maxBytes - this.bytes;
  }

  /** @throws AppError `resource_limit` */
  add({ type, location, id, body, isText, charset = 'utf-8' }: MimePart): void {
    this.write(
      [
        `--${BOUNDARY}`,
        `Content-Type: ${type}${isText ? `; charset=${charset}` : ''}`,
        ...(id === undefined ? [] : [`Content-ID: <${id}>`]),
        `Content-Transfer-Encoding: ${isText ? 'quoted-printable' : 'base64'}`,
        ...(location === undefined ? [] : [`Content-Location: ${location}`]),
        '\r\n',
      ].join('\r\n'),
    );
    for (let at = 0, column = 0; at < body.length; at += CHUNK_BYTES) {
      const chunk = body.subarray(at, at + CHUNK_BYTES);
      if (!isText) this.write(base64Lines(chunk));
      else {
        const encoded = quotedPrintable(chunk, column);
        ({ column } = encoded);
        this.write(encoded.bytes);
      }
    }
    this.write('\r\n');
  }

  toBuffer(): Buffer {
    this.write(`--${BOUNDARY}--\r\n`);
    return Buffer.concat(this.pieces);
  }

  private write(piece: string | Buffer): void {
    const bytes = typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece;
    this.bytes += bytes.length;
    if (this.bytes > this.maxBytes) throw tooLong(this.maxBytes);
    this.pieces.push(bytes);
  }
}

function base64Lines(bytes: Buffer): string {
  return bytes.toString('base64').replace(/.{1,76}/g, '$&\r\n');
}

const [TAB, LF, SPACE, EQUALS, TILDE] = [9, 10, 32, 61, 126] as const;
const HEX = Buffer.from('0123456789ABCDEF', 'latin1');

/** Encodes a piece of a text that begins in a column of its line. A line feed becomes the line break of mail. */
export function quotedPrintable(text: Buffer, start: number): { bytes: Buffer; column: number } {
  // Three characters for each byte, and a soft line break for at least each 73 of them.
  const out = Buffer.allocUnsafe(text.length * 3 + Math.ceil((text.length * 9) / 70) + 16);
  let [length, column] = [0, start];
  const put = (...codes: readonly number[]): void => {
    for (const code of codes) out[length++] = code;
  };
  for (let i = 0; i < text.length; i += 1) {
    const byte = text[i] ?? 0;
    if (byte === LF) {
      put(13, 10);
      column = 0;
      continue;
    }
    // White space at the end of a line would be dropped.
    const isSpace = byte === SPACE || byte === TAB;
    const isPlain = isSpace
      ? i + 1 < text.length && text[i + 1] !== LF
      : byte > SPACE && byte <= TILDE && byte !== EQUALS;
    const width = isPlain ? 1 : 3;
    if (column + width >= LINE_CHARS) {
      put(EQUALS, 13, 10);
      column = 0;
    }
    column += width;
    if (isPlain) out[length++] = byte;
    else put(EQUALS, HEX[byte >> 4] ?? 0, HEX[byte & 15] ?? 0);
  }
  return { bytes: out.subarray(0, length), column };
}

/** A text for a header (RFC 2047), on lines of its own. */
function encodedWords(text: string): string {
  const words: string[] = [];
  // By code points, so that each word is a text of its own. Ten have at most 40 bytes.
  for (const part of text.toWellFormed().match(/[^]{1,10}/gu) ?? [])
    words.push(`=?utf-8?B?${Buffer.from(part, 'utf8').toString('base64')}?=`);
  return words.join('\r\n ');
}
