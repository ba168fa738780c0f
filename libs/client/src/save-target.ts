import type * as FileSystem from 'node:fs/promises';
import type * as Paths from 'node:path';
import type { FileCheck } from './answers.js';
import { CaptureError } from './capture-error.js';
import { chunksOf, type Consumer } from './transport.js';

// Names in variables: bundlers for browsers fail on imports of Node's modules, even where they are never reached.
const FILE_SYSTEM = 'node:fs/promises';
const PATHS = 'node:path';

/** A file that is going to be saved. */
export class SaveTarget {
  /** The size of the saved file in bytes. */
  size = 0;

  private constructor(
    private readonly path: string,
    private readonly files: typeof FileSystem,
    private readonly paths: typeof Paths,
  ) {}

  /**
   * Checks what can be known before a capture is made and charged.
   *
   * @throws CaptureError `save_failed` if there is no such folder, or no file system
   */
  static async open(path: string): Promise<SaveTarget> {
    const [files, paths] = await nodeModules();
    const folder = paths.dirname(path);
    await onDisk(path, files.access(folder, files.constants.W_OK));
    if (path === '' || path.endsWith('/') || path.endsWith(paths.sep)) {
      throw saveFailed(path, 'a file needs a name');
    }
    const there = await files.stat(path).catch(() => undefined);
    if (there?.isDirectory()) throw saveFailed(path, 'it is a folder');
    // A device or a pipe would be replaced by a file.
    if (there && !there.isFile()) throw saveFailed(path, 'it is no regular file');
    return new SaveTarget(path, files, paths);
  }

  /**
   * Saves the body under a temporary name in the same folder and renames it when it is complete, so that nothing incomplete
   * ever has the final name. A file of that name is replaced.
   */
  consumer(check: FileCheck): Consumer {
    return async (response) => {
      check(response);
      this.size = await this.save(response);
      return new Response(null, { status: response.status, headers: response.headers });
    };
  }

  private async save(response: Response): Promise<number> {
    const random = crypto.getRandomValues(new Uint32Array(2)).join('-');
    const temporary = this.paths.join(this.paths.dirname(this.path), `.capture-${random}.part`);
    try {
      const size = await this.write(response, temporary);
      await onDisk(this.path, this.files.rename(temporary, this.path));
      return size;
    } catch (error) {
      await this.files.rm(temporary, { force: true });
      throw error;
    }
  }

  private async write(response: Response, temporary: string): Promise<number> {
    const file = await onDisk(this.path, this.files.open(temporary, 'wx'));
    let size = 0;
    try {
      for await (const chunk of chunksOf(response)) {
        await onDisk(this.path, file.appendFile(chunk));
        size += chunk.length;
      }
    } finally {
      // A network file system reports a full disk as late as here.
      await onDisk(this.path, file.close());
    }
    return size;
  }
}

/** Distinguishes errors of the disk, which a repetition would meet again, from those of the connection. */
async function onDisk<T>(path: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    throw saveFailed(path, cause instanceof Error ? cause.message : String(cause), cause);
  }
}

function saveFailed(path: string, reason: string, cause?: unknown): CaptureError {
  return new CaptureError({
    code: 'save_failed',
    detail: `${path || 'The empty path'} could not be written: ${reason}.`,
    cause,
  });
}

async function nodeModules(): Promise<[typeof FileSystem, typeof Paths]> {
  try {
    return await Promise.all([
      import(/* webpackIgnore: true */ /* @vite-ignore */ FILE_SYSTEM) as Promise<typeof FileSystem>,
      import(/* webpackIgnore: true */ /* @vite-ignore */ PATHS) as Promise<typeof Paths>,
    ]);
  } catch (cause) {
    const detail = 'A file can be saved only where there is a file system, such as in Node and Deno.';
    throw new CaptureError({ code: 'save_failed', detail, cause });
  }
}
