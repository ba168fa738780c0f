import type { Readable } from 'node:stream';

/** Bytes of a file from `start` to `end`, both included, as in an HTTP Range. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * A store of files by key.
 *
 * A key is `<kind>/<uuid>/<name>.<extension>`, made of our own ids and words: nothing a caller wrote can be part of
 * one. A file is there whole or not at all. A fault of the store rejects with AppError `storage_unavailable`.
 */
export abstract class Storage {
  /** Stores a file durably; one of the same key is replaced at once. */
  abstract put(key: string, bytes: Uint8Array): Promise<void>;

  /**
   * Opens a file; a range is cut at its end.
   *
   * @throws FileNotFoundError
   */
  abstract read(key: string, range?: ByteRange): Promise<Readable>;

  /** Removes a file; one that is not there counts as removed. */
  abstract delete(key: string): Promise<void>;

  /** Removes what writes have left that were cut off by a crash. Safe to call at any time, and by several at once. */
  abstract tidy(): Promise<void>;

  /** Stores a file of PROBE bytes aside; rejects when that is not possible now. */
  abstract check(): Promise<void>;
}

/** As large as a small picture, so that a disk which is all but full counts as full. */
export const PROBE = new Uint8Array(64 * 1024);

/** There is no file of this key. What that means (expired, never stored) is for the caller to say. */
export class FileNotFoundError extends Error {
  override readonly name = 'FileNotFoundError';

  constructor(readonly key: string) {
    super(`There is no file ${key}`);
  }
}

const KEY = /^[a-z]{1,32}\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\/[a-z0-9]{1,32}\.[a-z0-9]{1,8}$/;

/** A key of another shape is a bug of ours, not a fault of the store. */
export function assertKey(key: string): void {
  if (!KEY.test(key)) throw new TypeError(`Not a storage key: ${JSON.stringify(key.slice(0, 100))}`);
}
