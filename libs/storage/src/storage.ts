import type { Readable } from 'node:stream';

/** The bytes of a file from `start` to `end`, both inclusive, as in an HTTP Range. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * A store of files by key.
 *
 * A key is `<kind>/<uuid>/<name>.<extension>`, made of the service's own ids and words and never of a caller's text. A file
 * is stored whole or not at all. A fault of the store rejects with AppError `storage_unavailable`.
 */
export abstract class Storage {
  /** Stores a file durably, and replaces a file of the same key atomically. */
  abstract put(key: string, bytes: Uint8Array): Promise<void>;

  /**
   * Opens a file; a range beyond its end is shortened.
   *
   * @throws FileNotFoundError
   */
  abstract read(key: string, range?: ByteRange): Promise<Readable>;

  /** Deletes a file; a missing file counts as deleted. */
  abstract delete(key: string): Promise<void>;

  /** Removes incomplete files that crashes have left behind. Several processes may call it at any time. */
  abstract removeIncomplete(): Promise<void>;

  /** Writes a file of PROBE bytes as a test; rejects when files cannot be stored now. */
  abstract check(): Promise<void>;
}

/** As large as a small picture, so that an almost full disk counts as full. */
export const PROBE = new Uint8Array(64 * 1024);

/** There is no file with this key: it has expired or was never stored, which the caller knows. */
export class FileNotFoundError extends Error {
  override readonly name = 'FileNotFoundError';

  constructor(readonly key: string) {
    super(`There is no file ${key}`);
  }
}

const KEY = /^[a-z]{1,32}\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\/[a-z0-9]{1,32}\.[a-z0-9]{1,8}$/;

/** @throws TypeError for a malformed key, which is a bug and not a fault of the store */
export function assertKey(key: string): void {
  if (!KEY.test(key)) throw new TypeError(`Not a storage key: ${JSON.stringify(key.slice(0, 100))}`);
}
