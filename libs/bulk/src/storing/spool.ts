import { randomUUID } from 'node:crypto';
import { open, unlink, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { AppError } from '@app/kernel';

/** What is gathered before it is written, and read again at once. A statement of some hundred rows: larger ones are no faster, and longer in memory. */
const CHUNK_BYTES = 131_072;

/**
 * All lines of a batch. The body is limited, but its `defaults` are repeated in every row: ten thousand times a page of
 * a megabyte would fill any disk.
 */
const MAX_SPOOL_BYTES = 134_217_728;

const OWNER_ONLY = 0o600;

interface Chunk {
  readonly position: number;
  readonly bytes: number;
}

/**
 * Lines that are set aside on the disk of this process, so that they need not be kept in memory, and read again chunk by
 * chunk. The file has no name from the moment it is opened: it is gone with this process, however that ends.
 */
export class Spool {
  private readonly chunks: Chunk[] = [];
  private lines: string[] = [];
  private gathered = 0;
  private written = 0;

  private constructor(private readonly file: FileHandle) {}

  /**
   * The spool is there while `use` runs.
   *
   * @throws AppError `storage_unavailable` when the disk does not take it
   */
  static async with<T>(use: (spool: Spool) => Promise<T>, folder = tmpdir()): Promise<T> {
    const file = await orUnavailable(() => openNameless(folder));
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
    if (this.written + this.gathered + bytes > MAX_SPOOL_BYTES) {
      const detail = `The rows, each with the defaults, are larger than ${MAX_SPOOL_BYTES} bytes in all.`;
      throw new AppError('payload_too_large', { detail });
    }
    this.lines.push(line);
    this.gathered += bytes;
    if (this.gathered >= CHUNK_BYTES) await this.flush();
  }

  /** Every line, as texts of many whole lines each. May be called again. */
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
    if (this.lines.length === 0) return;
    const text = Buffer.from(`${this.lines.join('\n')}\n`);
    this.lines = [];
    this.gathered = 0;
    await orUnavailable(async () => {
      // `write` may take a part when the disk is almost full; `writeFile` goes on until it is told so.
      await this.file.writeFile(text);
    });
    this.chunks.push({ position: this.written, bytes: text.length });
    this.written += text.length;
  }
}

async function openNameless(folder: string): Promise<FileHandle> {
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

async function orUnavailable<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (cause) {
    const detail = 'The rows could not be set aside while they were read; nothing is stored.';
    throw new AppError('storage_unavailable', { detail, cause });
  }
}
