import { aboutFormat, FORMATS, type Format } from '@app/capture';
import { rowFileName, withoutDevice } from '@capture-service/client';

/** In UTF-8. Most file systems take names of 255 bytes; the number of a row and an extension are added to it. */
const MAX_LABEL_BYTES = 150;

/** A stored file, as its name in an archive depends on it. */
export interface NamedFile {
  readonly name: string;
  readonly format: Format;
}

/** The name of a file in the archive of its capture: that of the output, with the extension of the format. */
export function entryName({ name, format }: NamedFile): string {
  // The name of an output has no underscore, so the result is not that of another one.
  return `${withoutDevice(name)}.${FORMATS[format].extension}`;
}

/** A row of a batch, as the names of its files depend on it. */
export interface LabelledRow {
  readonly row: number;
  readonly reference: string | null;
  readonly host: string | null;
}

/** `00001-order-7`: where the archive of a batch has the only file of a row, without its extension, or the folder of its files. */
export function rowPath({ row, reference, host }: LabelledRow): string {
  return rowFileName(row, [reference, host], MAX_LABEL_BYTES);
}

/** Whether compressing a file of this format again would only cost time. */
export function isCompressed(format: Format): boolean {
  return aboutFormat(format).isCompressed;
}
