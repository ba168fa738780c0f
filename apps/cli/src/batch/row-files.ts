import { FORMAT_CATALOGUE, type CaptureRecord } from '@capture-service/client';

/** A file of a row: where it belongs in the folder, and what it must be. */
export interface RowFile {
  /** Name of the output; undefined for the only file of a capture. */
  readonly output?: string;
  /** Relative to the folder, with `/`. */
  readonly path: string;
  readonly bytes: number;
  /** In hex. */
  readonly sha256: string;
}

const EXTENSIONS: ReadonlyMap<string, string> = new Map(
  FORMAT_CATALOGUE.map(({ name, extension }) => [name, extension]),
);

/** In UTF-8. Most file systems take names of 255 bytes, and some tools count the whole path. */
const MAX_LABEL_BYTES = 100;

/** Digits of the largest batch of the service, so that the names of most lists sort in the order of their rows. */
const ROW_DIGITS = 5;

/** What separates folders, has a meaning for Windows, or changes how a name is displayed. */
const UNSAFE = /[\p{C}\p{Zl}\p{Zp}/\\:*?"<>|]+/gu;

/** Names of devices, which Windows opens instead of a file, also with an extension. */
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)$/i;

type NamedRow = Pick<CaptureRecord, 'reference' | 'url' | 'files'>;

/**
 * The files of a capture that has succeeded: `00007-order-7.png`, or a folder `00007-order-7/` if it has several. The number
 * keeps the names of two rows apart, whatever their references are, and on file systems that ignore case.
 *
 * @param row its number in the list, from 1
 */
export function filesOf(row: number, record: NamedRow): RowFile[] {
  const path = rowPath(row, record);
  const isOnly = record.files.length === 1;
  return record.files.map(({ name, format, bytes, sha256 }) => {
    // A newer service may have formats that this version does not know.
    const extension = EXTENSIONS.get(format) ?? safeLabel(format);
    return {
      path: isOnly ? `${path}.${extension}` : `${path}/${outputLabel(name)}.${extension}`,
      bytes,
      sha256,
      ...(!isOnly && { output: name }),
    };
  });
}

/** What results.csv names as the file of a row: the file, or the folder of its files. */
export function placeOf([first, ...more]: readonly RowFile[]): string | null {
  if (!first) return null;
  return more.length === 0 ? first.path : first.path.slice(0, first.path.lastIndexOf('/') + 1);
}

function rowPath(row: number, { reference, url }: NamedRow): string {
  const label = safeLabel(reference ?? '') || safeLabel(addressLabel(url)) || 'capture';
  return `${String(row).padStart(ROW_DIGITS, '0')}-${label}`;
}

/** `example.com/a/b` of `https://example.com/a/b?c`. */
function addressLabel(url: string | null): string {
  if (url === null || !URL.canParse(url)) return '';
  const { host, pathname } = new URL(url);
  return `${host}${decoded(pathname)}`;
}

function decoded(pathname: string): string {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return pathname;
  }
}

function outputLabel(name: string): string {
  const label = safeLabel(name) || 'result';
  return RESERVED.test(label) ? `_${label}` : label;
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
