import {
  FORMAT_CATALOGUE,
  type CaptureRecord,
  type CatalogueFormat,
  type FileRecord,
} from '@capture-service/client';
import { bytes, count } from '../ui/format.js';

/** The formats by name. A newer service may have others. */
export const FORMATS: ReadonlyMap<string, CatalogueFormat> = new Map(
  FORMAT_CATALOGUE.map((format) => [format.name, format]),
);

export type FileKind = 'picture' | 'pdf' | 'text';

/** How a file is shown. Captured HTML is shown as text: it never runs here. */
export function kindOf({ format }: Pick<FileRecord, 'format'>): FileKind {
  const kind = FORMATS.get(format)?.kind;
  if (kind === 'picture') return kind;
  return kind === 'print' ? 'pdf' : 'text';
}

/** `1280 × 800 px · 34 kB`. */
export function fileSummary({ width, height, pages, bytes: size }: FileRecord): string {
  const extent = width !== null && height !== null ? `${count(width)} × ${count(height)} px` : undefined;
  const length = pages === null ? undefined : `${count(pages)} ${pages === 1 ? 'page' : 'pages'}`;
  return [extent, length, bytes(size)].filter((part) => part !== undefined).join(' · ');
}

/** The name to ask for a file with; the API has none for the only file of a capture. */
export function nameToRead({ files }: CaptureRecord, file: FileRecord): string | undefined {
  return files[0]?.name === file.name ? undefined : file.name;
}

/** What is shown at a time: a file, or the slices of a picture. */
export interface ShownFile {
  /** The name of the file, or that of the output which was cut. */
  readonly name: string;
  readonly files: readonly [FileRecord, ...FileRecord[]];
  readonly isSliced: boolean;
}

/** The files of a capture, those that are slices of one picture together. */
export function shownFiles(files: readonly FileRecord[]): ShownFile[] {
  const byName = Map.groupBy(files, shownName);
  return [...byName].flatMap(([name, [first, ...others]]) =>
    first ? [{ name, files: [first, ...others] as const, isSliced: isSlice(first) }] : [],
  );
}

/** A slice says where it begins. An older service has no such field. */
function isSlice({ offset_y: top }: FileRecord): boolean {
  return typeof top === 'number';
}

function shownName(file: FileRecord): string {
  return isSlice(file) ? file.name.replace(/-\d+$/, '') : file.name;
}
