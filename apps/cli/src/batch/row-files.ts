import {
  FORMAT_CATALOGUE,
  rowFileName,
  safeLabel,
  withoutDevice,
  type CaptureRecord,
} from '@capture-service/client';

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

type NamedRow = Pick<CaptureRecord, 'reference' | 'url' | 'files'>;

/**
 * The files of a capture that has succeeded: `00007-order-7.png`, or a folder `00007-order-7/` if it has several.
 *
 * @param row its number in the list, from 1
 */
export function filesOf(row: number, record: NamedRow): RowFile[] {
  return filesAt(rowFileName(row, [record.reference, addressLabel(record.url)], MAX_LABEL_BYTES), record);
}

/**
 * The files of a capture that has succeeded: one with this path and an extension, or a folder of this path.
 *
 * @param path relative to the folder, with `/`
 */
export function filesAt(path: string, { files }: Pick<NamedRow, 'files'>): RowFile[] {
  const isOnly = files.length === 1;
  return files.map(({ name, format, bytes, sha256 }) => {
    // A newer service may have formats that this version does not know.
    const extension = EXTENSIONS.get(format) ?? safeLabel(format, MAX_LABEL_BYTES);
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
  return withoutDevice(safeLabel(name, MAX_LABEL_BYTES) || 'result');
}
