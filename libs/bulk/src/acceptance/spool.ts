import { randomUUID } from 'node:crypto';
import { open, unlink, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { AppError } from '@app/kernel';

/** Bytes that are written and read at once: the rows of one INSERT. Larger ones are no faster, and take more memory. */
const CHUNK_BYTES = 131_072;

/**
 * All lines of a batch. The body is limited, but its `defaults` are repeated in every row: a page of a megabyte, ten
 * thousand times, would fill any disk.
 */
const MAX_SPOOL_BYTES = 134_217_728;

const OWNER_ONLY = 0o600;

interface Chunk {
  readonly position: number;
  readonly bytes: number;
}

/**
 * Keeps lines on disk rather than in memory, and reads them again chunk by chunk. The file is unlinked as soon as it is
 * open, so that it disappears with the process however that ends.
 */
export class Spool {
  private readonly chunks: Chunk[] = [];
  private pending: string[] = [];
  private pendingBytes = 0;
  private writtenBytes = 0;

  private constructor(private readonly file: FileHandle) {}

  /**
   * Opens a spool for as long as `use` runs.
   *
   * @throws AppError `storage_unavailable` if the disk is full or cannot be written
   */
  static async with<T>(use: (spool: Spool) => Promise<T>, folder = tmpdir()): Promise<T> {
    const file = await orUnavailable(() => openUnlinked(folder));
    try {
      return await use(new Spool(file));
    } finally {
      await file.close();
    }
  }

  /**
   * @param line without a line break
   * @throws AppError `payload_too_large`, `storage_unavailable`
   */
  async add(line: string): Promise<void> {
    const bytes = Buffer.byteLength(line) + 1;
    if (this.writtenBytes + this.pendingBytes + bytes > MAX_SPOOL_BYTES) throw tooLarge();
    this.pending.push(line);
    this.pendingBytes += bytes;
    if (this.pendingBytes >= CHUNK_BYTES) await this.flush();
  }

  /** All lines, in chunks of many whole lines. May be called again. */
  async *read(): AsyncGenerator<string> {
    await this.flush();
    for (const { position, bytes } of this.chunks) {
      const { buffer, bytesRead } = await orUnavailable(() =>
        this.file.read(Buffer.alloc(bytes), 0, bytes, position),
      );
      if (bytesRead !== bytes) throw new AppError('storage_unavailable');
      yield buffer.toString();
    }
  }

  private async flush(): Promise<void> {
    if (this.pending.length === 0) return;
    const text = Buffer.from(`${this.pending.join('\n')}\n`);
    this.pending = [];
    this.pendingBytes = 0;
    await orUnavailable(async () => {
      // `write` may write a part when the disk is almost full; `writeFile` continues until there is an error.
      await this.file.writeFile(text);
    });
    this.chunks.push({ position: this.writtenBytes, bytes: text.length });
    this.writtenBytes += text.length;
  }
}

/**
 * Checks before the first row is read that the defaults leave room for all of them.
 *
 * @throws AppError `payload_too_large`
 */
export function assertDefaultsFit(defaults: object, rows: number): void {
  if (rows * Buffer.byteLength(JSON.stringify(defaults)) > MAX_SPOOL_BYTES) throw tooLarge();
}

function tooLarge(): AppError {
  const detail = `The rows, each with the defaults, are larger than ${MAX_SPOOL_BYTES} bytes in all.`;
  return new AppError('payload_too_large', { detail });
}

async function openUnlinked(folder: string): Promise<FileHandle> {
  const name = path.join(folder, `capture-bulk-${randomUUID()}`);
  const file = await open(name, 'wx+', OWNER_ONLY);
  try {
    await unlink(name);
    return file;
  } catch (fault) {
    await file.close();
    throw fault;
  }
}

async function orUnavailable<T>(use: () => Promise<T>): Promise<T> {
  try {
    return await use();
  } catch (cause) {
    const detail = 'The rows could not be spooled to disk while they were read; nothing is stored.';
    throw new AppError('storage_unavailable', { detail, cause });
  }
}
