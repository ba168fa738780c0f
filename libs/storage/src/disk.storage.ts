import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, rmdir, stat, unlink, type FileHandle } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import type { Readable } from 'node:stream';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { AppError } from '@app/kernel';
import { assertKey, FileNotFoundError, PROBE, Storage, type ByteRange } from './storage.js';

const FOLDER_MODE = 0o750;
const FILE_MODE = 0o640;

/** Far longer than any write, so that a file that another process is writing never counts as abandoned. */
const ABANDONED_AFTER_MS = 60 * 60_000;

/**
 * Files in a folder that the API and the workers share.
 *
 * A file is written to a temporary one, which is renamed and synced: after a crash or on a full disk there is either the
 * whole file or none, and a stored file survives a power failure.
 */
@Injectable()
export class DiskStorage extends Storage implements OnModuleInit {
  private readonly logger = new Logger(DiskStorage.name);
  private readonly root: string;
  /** On the file system of the files: a rename between file systems is a copy, which is not atomic. */
  private readonly incoming: string;

  constructor(folder: string) {
    super();
    this.root = resolve(folder);
    this.incoming = join(this.root, 'incoming');
  }

  /** Does not fail while the store is unavailable, which `check` reports. */
  async onModuleInit(): Promise<void> {
    try {
      await this.removeIncomplete();
    } catch (cause) {
      this.logger.warn({ err: cause }, 'Incomplete files could not be removed');
    }
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    const path = this.pathOf(key);
    await orUnavailable(() =>
      this.writeTemporary(bytes, async (file, temporary) => {
        await mkdir(dirname(path), { recursive: true, mode: FOLDER_MODE });
        await rename(temporary, path);
        try {
          // In parallel, because both wait for the same journal. Without syncing the folder a power failure may undo the
          // rename after the job was recorded as done.
          await Promise.all([file.sync(), syncFolder(dirname(path))]);
        } catch (fault) {
          // Some file systems report only now that they are full, and the renamed file may be truncated.
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
    // The folder of a capture contains the files of all its attempts and is removed with the last one.
    await rmdir(dirname(path)).catch(() => undefined);
  }

  async removeIncomplete(): Promise<void> {
    await orUnavailable(async () => {
      await mkdir(this.incoming, { recursive: true, mode: FOLDER_MODE });
      for (const name of await readdir(this.incoming)) await removeAbandoned(join(this.incoming, name));
    });
  }

  async check(): Promise<void> {
    await orUnavailable(() =>
      this.writeTemporary(PROBE, async (file, temporary) => {
        await file.sync();
        await unlink(temporary);
      }),
    );
  }

  /** The shape of a key already excludes a path out of the folder; this check does not rely on that pattern alone. */
  private pathOf(key: string): string {
    assertKey(key);
    const path = resolve(this.root, key);
    if (!path.startsWith(this.root + sep)) throw new TypeError(`Not a storage key: ${key}`);
    return path;
  }

  private async create(temporary: string): Promise<FileHandle> {
    try {
      return await open(temporary, 'wx', FILE_MODE);
    } catch (fault) {
      if (!isMissing(fault)) throw fault;
      // The folder is missing before the first file, or was removed.
      await mkdir(this.incoming, { recursive: true, mode: FOLDER_MODE });
      return open(temporary, 'wx', FILE_MODE);
    }
  }

  /** Writes a temporary file and calls `finish`, which moves or removes it. */
  private async writeTemporary(
    bytes: Uint8Array,
    finish: (file: FileHandle, temporary: string) => Promise<void>,
  ): Promise<void> {
    const temporary = join(this.incoming, randomUUID());
    const file = await this.create(temporary);
    try {
      await file.writeFile(bytes);
      await finish(file, temporary);
    } catch (fault) {
      await rm(temporary, { force: true });
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
    // Its writer has renamed it since the folder was read.
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
