import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, rmdir, stat, unlink, type FileHandle } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import type { Readable } from 'node:stream';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { AppError } from '@app/kernel';
import { assertKey, FileNotFoundError, PROBE, Storage, type ByteRange } from './storage.js';

const FOLDER_MODE = 0o750;
const FILE_MODE = 0o640;

/** Far above the time of one write, so that a file another process is writing is never taken for a left one. */
const ABANDONED_AFTER_MS = 60 * 60_000;

/**
 * Files in a folder that API and workers share.
 *
 * A file is written aside, renamed and synced: a reader, a crash and a full disk see the whole file or none, and who
 * was told that it is stored finds it after a power cut.
 */
@Injectable()
export class DiskStorage extends Storage implements OnModuleInit {
  private readonly logger = new Logger(DiskStorage.name);
  private readonly root: string;
  /** In the same file system as the files: a rename across two is a copy, which is not atomic. */
  private readonly incoming: string;

  constructor(folder: string) {
    super();
    this.root = resolve(folder);
    this.incoming = join(this.root, 'incoming');
  }

  /** A store that is not there yet shows in `check`, not here. */
  async onModuleInit(): Promise<void> {
    try {
      await this.tidy();
    } catch (cause) {
      this.logger.warn({ err: cause }, 'Left-over files could not be removed');
    }
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    const path = this.pathOf(key);
    await orUnavailable(() =>
      this.writeAside(bytes, async (file, aside) => {
        await mkdir(dirname(path), { recursive: true, mode: FOLDER_MODE });
        await rename(aside, path);
        try {
          // Both at once, for they wait for the same journal. Without the folder's a power cut may undo the rename
          // after the job was recorded as done.
          await Promise.all([file.sync(), syncFolder(dirname(path))]);
        } catch (fault) {
          // Some file systems find out only now that they are full; what stands in its place may be cut.
          await rm(path, { force: true });
          throw fault;
        }
      }),
    );
  }

  async read(key: string, range?: ByteRange): Promise<Readable> {
    const path = this.pathOf(key);
    try {
      const file = await open(path, 'r');
      return file.createReadStream(range ? { start: range.start, end: range.end } : {});
    } catch (fault) {
      if (isMissing(fault)) throw new FileNotFoundError(key);
      throw unavailable(fault);
    }
  }

  async delete(key: string): Promise<void> {
    const path = this.pathOf(key);
    await orUnavailable(() => rm(path, { force: true }));
    // The folder of a capture holds the files of all its attempts; the last one takes it along.
    await rmdir(dirname(path)).catch(() => undefined);
  }

  async tidy(): Promise<void> {
    await orUnavailable(async () => {
      await mkdir(this.incoming, { recursive: true, mode: FOLDER_MODE });
      for (const name of await readdir(this.incoming)) await removeAbandoned(join(this.incoming, name));
    });
  }

  async check(): Promise<void> {
    await orUnavailable(() =>
      this.writeAside(PROBE, async (file, aside) => {
        await file.sync();
        await unlink(aside);
      }),
    );
  }

  /** The key's shape already forbids it, yet a path out of the folder must not hang on one pattern. */
  private pathOf(key: string): string {
    assertKey(key);
    const path = resolve(this.root, key);
    if (!path.startsWith(this.root + sep)) throw new TypeError(`Not a storage key: ${key}`);
    return path;
  }

  /** Writes a file that nobody looks for, and has `place` put it where it belongs. */
  private async writeAside(
    bytes: Uint8Array,
    place: (file: FileHandle, aside: string) => Promise<void>,
  ): Promise<void> {
    await mkdir(this.incoming, { recursive: true, mode: FOLDER_MODE });
    const aside = join(this.incoming, randomUUID());
    const file = await open(aside, 'wx', FILE_MODE);
    try {
      await file.writeFile(bytes);
      await place(file, aside);
    } catch (fault) {
      await rm(aside, { force: true });
      throw fault;
    } finally {
      await file.close();
    }
  }
}

async function removeAbandoned(path: string): Promise<void> {
  try {
    const { mtimeMs } = await stat(path);
    if (Date.now() - mtimeMs > ABANDONED_AFTER_MS) await rm(path, { force: true });
  } catch (fault) {
    // Its writer has put it in its place since the folder was read.
    if (!isMissing(fault)) throw fault;
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function orUnavailable<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (fault) {
    throw unavailable(fault);
  }
}

function unavailable(cause: unknown): AppError {
  return new AppError('storage_unavailable', { cause });
}

function isMissing(fault: unknown): boolean {
  return (fault as NodeJS.ErrnoException).code === 'ENOENT';
}
