import { aboutFormat, FORMATS, type Format } from '@app/capture';

/** In UTF-8. Most file systems take names of 255 bytes; the number of a row and an extension are added to it. */
const MAX_LABEL_BYTES = 150;

/** Digits of the largest batch, so that names sort in the order of its rows. */
const ROW_DIGITS = 5;

/** What separates folders, has a meaning for Windows, or changes how a name is displayed. */
const UNSAFE = /[\p{C}\p{Zl}\p{Zp}/\\:*?"<>|]+/gu;

/** Names of devices, which Windows opens instead of a file, also with an extension. */
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)$/;

/** A stored file, as its name in an archive depends on it. */
export interface NamedFile {
  readonly name: string;
  readonly format: Format;
}

/** The name of a file in the archive of its capture: that of the output, with the extension of the format. */
export function entryName({ name, format }: NamedFile): string {
  // The name of an output has no underscore, so the result is not that of another one.
  return `${RESERVED.test(name) ? '_' : ''}${name}.${FORMATS[format].extension}`;
}

/** A row of a batch, as the names of its files depend on it. */
export interface LabelledRow {
  readonly row: number;
  readonly reference: string | null;
  readonly host: string | null;
}

/** `00001-order-7`: where the archive of a batch has the only file of a row, without its extension, or the folder of its files. */
export function rowPath({ row, reference, host }: LabelledRow): string {
  const label = safeLabel(reference ?? '') || safeLabel(host ?? '') || 'capture';
  return `${String(row).padStart(ROW_DIGITS, '0')}-${label}`;
}

/** The text as a part of a file name that every system accepts and that leads nowhere else; empty if nothing is left. */
export function safeLabel(text: string): string {
  const safe = text
    .toWellFormed()
    .normalize('NFC')
    .replace(UNSAFE, '-')
    .replace(/\.{2,}/g, '.');
  return trimmed(cut(trimmed(safe)));
}

/** Windows drops dots and white space at the end of a name; at its beginning they hide it. */
function trimmed(text: string): string {
  return text.replace(/^[-.\s]+|[-.\s]+$/gu, '');
}

function cut(text: string): string {
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > MAX_LABEL_BYTES) break;
    end += character.length;
  }
  return text.slice(0, end);
}

/** Whether compressing a file of this format again would only cost time. */
export function isCompressed(format: Format): boolean {
  return aboutFormat(format).isCompressed;
}
