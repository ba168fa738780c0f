import type { CapturedFile } from '@app/capture';

/** A file that an attempt has stored. */
export interface StoredFile extends Omit<CapturedFile, 'bytes' | 'ignored'> {
  readonly key: string;
  readonly contentType: string;
  readonly bytes: number;
  /** In hex. */
  readonly sha256: string;
}

/** A file of a succeeded capture besides the first, which has columns of its own. */
export type OtherFile = Pick<StoredFile, 'name' | 'format' | 'key' | 'contentType' | 'bytes' | 'sha256'> &
  StoredFile['facts'];

export function toOtherFile({ name, format, key, contentType, bytes, sha256, facts }: StoredFile): OtherFile {
  return { name, format, key, contentType, bytes, sha256, ...facts };
}
