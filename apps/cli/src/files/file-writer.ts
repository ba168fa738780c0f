import { randomBytes } from 'node:crypto';
import { access, constants, mkdir, open, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { CliError } from '../context/cli-error.js';
import { EXIT } from '../context/exit-codes.js';

/** What is written: in one piece, or as it comes. */
export type FileContent = Uint8Array | AsyncIterable<Uint8Array>;

/**
 * Checks that a file can be written, before anything is captured for it.
 *
 * @throws CliError with the reason
 */
export async function checkWritable(file: string): Promise<void> {
  const folder = path.dirname(file);
  const found = await stat(file).catch(() => undefined);
  if (found?.isDirectory())
    throw new CliError(`${file} is a folder. Add a file name, or a slash at its end.`);
  // A device or a pipe is written to itself, so its folder need not be writable.
  if (found && !found.isFile()) return;
  const parent = await stat(folder).catch(() => undefined);
  if (!parent?.isDirectory()) throw new CliError(`The folder ${folder} does not exist.`);
  await access(folder, constants.W_OK).catch(() => {
    throw new CliError(`The folder ${folder} is not writable.`);
  });
}

/**
 * Writes a file whole or not at all: under a temporary name beside it, which is flushed to the disk and then renamed. What is
 * half written is removed, also when `signal` aborts. Returns the size in bytes.
 *
 * @throws CliError that says why it could not be written
 */
export async function writeWhole(file: string, content: FileContent, signal?: AbortSignal): Promise<number> {
  const found = await stat(file).catch(() => undefined);
  try {
    // A device such as /dev/null, or a pipe, is written to: a rename would replace it.
    if (found && !found.isFile()) return await writeTo(await open(file, 'w'), content, signal);
    return await writeBeside(file, content, signal);
  } catch (error) {
    throw explained(file, error);
  }
}

async function writeBeside(file: string, content: FileContent, signal?: AbortSignal): Promise<number> {
  const name = `.${path.basename(file)}.${randomBytes(4).toString('hex')}.part`;
  const draft = path.join(path.dirname(file), name);
  try {
    const handle = await open(draft, 'wx');
    const size = await writeTo(handle, content, signal);
    signal?.throwIfAborted();
    await rename(draft, file);
    return size;
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** Writes all of it, flushes it to the disk and closes the file. */
async function writeTo(handle: FileHandle, content: FileContent, signal?: AbortSignal): Promise<number> {
  try {
    let size = 0;
    for await (const part of content instanceof Uint8Array ? [content] : content) {
      signal?.throwIfAborted();
      await handle.writeFile(part);
      size += part.byteLength;
    }
    // Only a file of a disk can be flushed.
    if ((await handle.stat()).isFile()) await handle.sync();
    return size;
  } finally {
    await handle.close();
  }
}

/**
 * Makes a folder and those above it.
 *
 * @throws CliError that says why it could not be made
 */
export async function makeFolder(folder: string): Promise<void> {
  await makeFolders(folder).catch((error: unknown) => {
    throw explained(folder, error);
  });
}

/**
 * Makes a folder and those above it, and returns the first that it made. Node's own `recursive` never ends below a link to
 * nowhere, or in /proc.
 */
export async function makeFolders(folder: string): Promise<string | undefined> {
  const isFolder = async (): Promise<boolean> =>
    (await stat(folder).catch(() => undefined))?.isDirectory() === true;
  if (await isFolder()) return undefined;
  const above = path.dirname(path.resolve(folder));
  const first = above === folder ? undefined : await makeFolders(above);
  try {
    await mkdir(folder);
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!(await isFolder())) throw error;
  }
  return first ?? folder;
}

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of the disk is used up',
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  EROFS: 'the file system is read-only',
  EISDIR: 'it is a folder',
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'a part of its path is no folder',
  EEXIST: 'a part of its path is a link to nothing',
  ENAMETOOLONG: 'its name is too long',
  EFBIG: 'it is larger than the file system or a limit allows',
};

/** An error of the file system becomes one line; any other, such as of a download, stays as it is. */
function explained(file: string, error: unknown): unknown {
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  if (syscall === undefined && !(code in REASONS)) return error;
  return new CliError(`${file} could not be written: ${reasonOf(error)}.`, {
    exitCode: EXIT.failed,
    code: 'unwritable_file',
    cause: error,
  });
}

/** Why a file operation failed, in words. */
export function reasonOf(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return REASONS[code] ?? message;
}
