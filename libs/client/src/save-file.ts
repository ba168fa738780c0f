import type * as FileSystem from 'node:fs/promises';
import type * as Paths from 'node:path';
import { CaptureError } from './capture-error.js';
import { chunksOf, type Consumer } from './transport.js';
import type { FileCheck } from './answers.js';

// Names in variables: bundlers for browsers fail on imports of Node's modules, even where they are never reached.
const FILE_SYSTEM = 'node:fs/promises';
const PATHS = 'node:path';

/**
 * Saves the body under a temporary name in the same folder and renames it when it is complete, so that nothing incomplete
 * ever has the final name. A file of that name is replaced.
 *
 * @param onSaved gets the size in bytes
 */
export function savingConsumer(path: string, check: FileCheck, onSaved: (size: number) => void): Consumer {
  return async (response) => {
    check(response);
    onSaved(await save(response, path));
    return new Response(null, { status: response.status, headers: response.headers });
  };
}

async function save(response: Response, path: string): Promise<number> {
  const [files, paths] = await nodeModules();
  const temporary = paths.join(
    paths.dirname(path),
    `.capture-${crypto.getRandomValues(new Uint32Array(2)).join('-')}.part`,
  );
  try {
    const size = await write(response, await onDisk(path, files.open(temporary, 'wx')), path);
    await onDisk(path, files.rename(temporary, path));
    return size;
  } catch (error) {
    await files.rm(temporary, { force: true });
    throw error;
  }
}

async function write(
  response: Response,
  file: Awaited<ReturnType<(typeof FileSystem)['open']>>,
  path: string,
): Promise<number> {
  let size = 0;
  try {
    for await (const chunk of chunksOf(response)) {
      await onDisk(path, file.appendFile(chunk));
      size += chunk.length;
    }
  } finally {
    // A network file system reports a full disk as late as here.
    await onDisk(path, file.close());
  }
  return size;
}

/** Distinguishes errors of the disk, which a repetition would meet again, from those of the connection. */
async function onDisk<T>(path: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const detail = `${path} could not be written: ${reason}`;
    throw new CaptureError({ code: 'save_failed', detail, cause });
  }
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
