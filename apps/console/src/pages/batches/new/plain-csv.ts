import { delimiterOf } from './csv-table.js';

const UTF_16 = [
  { mark: [0xff, 0xfe], label: 'utf-16le' },
  { mark: [0xfe, 0xff], label: 'utf-16be' },
] as const;
/** Excel reads the separator from such a first line. */
const SEPARATOR_LINE = /^\ufeff?sep=[,;\t]\r?\n/i;
const BEGINS_WITH_URL = /^\ufeff?\s*"?https?:\/\//i;

/** The text of a file, also if it is in UTF-16, as Excel's "Unicode text". Bytes that are no text get replacement characters. */
export function textOfFile(bytes: Uint8Array): string {
  const { label } = UTF_16.find(({ mark }) => mark.every((byte, i) => byte === bytes[i])) ?? {
    label: 'utf-8',
  };
  return new TextDecoder(label).decode(bytes);
}

/**
 * The file as the API reads it: in UTF-8, without Excel's line `sep=;`, and with a header if the first line is a row. A file
 * that needs none of this stays as it is, so that the API says what is wrong with it.
 */
export function plainCsv(bytes: Uint8Array): Uint8Array {
  const text = textOfFile(bytes);
  const plain = withHeader(text.replace(SEPARATOR_LINE, ''));
  const isUtf16 = UTF_16.some(({ mark }) => mark.every((byte, i) => byte === bytes[i]));
  return plain === text && !isUtf16 ? bytes : new TextEncoder().encode(plain);
}

/** The first cell is a URL, so the first line is a row. Only its column is known; the others are for the person to name. */
function withHeader(text: string): string {
  if (!BEGINS_WITH_URL.test(text)) return text;
  const delimiter = delimiterOf(text);
  const [first = ''] = text.split(/[\r\n]/, 1);
  const header = first.split(delimiter).map((_, i) => (i === 0 ? 'url' : `column ${i + 1}`));
  return `${header.join(delimiter)}\n${text.replace(/^\ufeff/, '')}`;
}
