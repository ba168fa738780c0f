import { Readable } from 'node:stream';
import { assertKey, FileNotFoundError, Storage, type ByteRange } from './storage.js';

/** A store in memory, for tests. */
export class MemoryStorage extends Storage {
  private readonly files = new Map<string, Uint8Array>();

  put(key: string, bytes: Uint8Array): Promise<void> {
    return attempt(() => {
      assertKey(key);
      this.files.set(key, Uint8Array.from(bytes));
    });
  }

  read(key: string, range?: ByteRange): Promise<Readable> {
    return attempt(() => {
      assertKey(key);
      const bytes = this.files.get(key);
      if (!bytes) throw new FileNotFoundError(key);
      const part = range ? bytes.subarray(range.start, range.end + 1) : bytes;
      return Readable.from([Buffer.from(part)], { objectMode: false });
    });
  }

  delete(key: string): Promise<void> {
    return attempt(() => {
      assertKey(key);
      this.files.delete(key);
    });
  }

  removeIncomplete(): Promise<void> {
    return Promise.resolve();
  }

  check(): Promise<void> {
    return Promise.resolve();
  }
}

/** Turns a thrown error into a rejection, as an asynchronous store does. */
function attempt<T>(act: () => T): Promise<T> {
  return Promise.resolve().then(act);
}
